package dev.fencing.harness.history;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A fault that was planned, and what shows that it happened.
 *
 * @param from nanoseconds since the origin of the run
 * @param to when it was over; the same as {@code from} if it has no length
 * @param worker whom it was aimed at, or null
 * @param resource the lock that this worker held or wanted, or null
 * @param proved whether it can be shown to have happened
 * @param proof what shows it, such as "state T for 1.9 s; server log: Expiring session 0x1f"; or
 *     why there is no proof
 * @param at the mark in the worker's code, or "random"
 * @param harm what the product let pass that the fault itself tried; null if nothing
 */
public record Fault(
    FaultKind kind,
    long from,
    long to,
    @Nullable Integer worker,
    @Nullable String resource,
    boolean proved,
    String proof,
    String at,
    @Nullable String harm) {

  /** Makes one that found no harm. */
  public Fault(
      FaultKind kind,
      long from,
      long to,
      @Nullable Integer worker,
      @Nullable String resource,
      boolean proved,
      String proof,
      String at) {
    this(kind, from, to, worker, resource, proved, proof, at, null);
  }

  /** Returns it with what the product let pass. */
  public Fault withHarm(@Nullable String what) {
    return new Fault(kind, from, to, worker, resource, proved, proof, at, what);
  }

  /** Tells whether it is shown that a server ended the session of its victim. */
  public boolean endedSession() {
    return proved && proof.contains("Expiring session ");
  }

  Map<String, @Nullable Object> toMap() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put("kind", kind);
    map.put("from", from);
    map.put("to", to);
    map.put("worker", worker);
    map.put("resource", resource);
    map.put("proved", proved);
    map.put("proof", proof);
    map.put("at", at);
    map.put("harm", harm);
    return map;
  }

  static Fault fromMap(Fields fields) {
    Long worker = fields.optionalNumber("worker");
    return new Fault(
        fields.constant("kind", FaultKind.class),
        fields.number("from"),
        fields.number("to"),
        worker == null ? null : Math.toIntExact(worker),
        fields.optionalText("resource"),
        Boolean.TRUE.equals(fields.optionalFlag("proved")),
        Objects.requireNonNullElse(fields.optionalText("proof"), ""),
        Objects.requireNonNullElse(fields.optionalText("at"), "random"),
        fields.optionalText("harm"));
  }
}
