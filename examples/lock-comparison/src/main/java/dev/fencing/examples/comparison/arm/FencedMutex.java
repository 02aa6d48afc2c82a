package dev.fencing.examples.comparison.arm;

import dev.fencing.curator.FencedLease;
import dev.fencing.curator.InterProcessFencedMutex;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@link InterProcessFencedMutex}, as leases. */
final class FencedMutex extends CuratorLock {

  private final Map<String, InterProcessFencedMutex> mutexes = new HashMap<>();

  FencedMutex(String address, Duration session) throws IOException, InterruptedException {
    super(address, session);
  }

  @Override
  public @Nullable Hold acquire(String resource, Duration wait) throws Exception {
    return mutexes
        .computeIfAbsent(resource, name -> new InterProcessFencedMutex(client(), path(name)))
        .acquireLease(wait)
        .map(Held::new)
        .orElse(null);
  }

  private record Held(FencedLease lease) implements Hold {

    @Override
    public long token() {
      return lease.token();
    }

    @Override
    public boolean seemsHeld() {
      return lease.isLive();
    }

    @Override
    public void release() {
      lease.close();
    }
  }
}
