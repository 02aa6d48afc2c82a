package dev.fencing.examples.comparison.simulator;

import java.util.HashMap;
import java.util.Map;

/** A lock server: it keeps a name for an owner until the lease is over. */
final class LeaseNode {

  private record Lease(long owner, long ends) {}

  private final Map<String, Lease> leases = new HashMap<>();

  boolean tryLock(String name, long owner, long now, long lease) {
    Lease held = leases.get(name);
    if (held != null && held.ends() > now) {
      return false;
    }
    leases.put(name, new Lease(owner, now + lease));
    return true;
  }

  /** Deletes the name only if it is still this owner's. */
  void unlock(String name, long owner) {
    Lease held = leases.get(name);
    if (held != null && held.owner() == owner) {
      leases.remove(name);
    }
  }
}
