package dev.fencing.harness.checker;

import dev.fencing.harness.history.Op;
import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.OpType;
import dev.fencing.harness.history.Row;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An operation, from its invocation to its end.
 *
 * @param completion null if nobody told how it went
 */
public record Call(Op invoke, @Nullable Op completion) {

  /** Returns what was done. */
  public OpFunction f() {
    return invoke.f();
  }

  /** Returns how it went; {@link OpType#INFO} if that is not known. */
  public OpType type() {
    return completion == null ? OpType.INFO : completion.type();
  }

  /** Tells whether it was acknowledged. */
  public boolean ok() {
    return type() == OpType.OK;
  }

  /** Tells whether the database refused it for its token. */
  public boolean isStale() {
    return completion != null && completion.isStale();
  }

  /** Returns when it began. */
  public long start() {
    return invoke.time();
  }

  /** Returns when its end was known; never, {@link Long#MAX_VALUE}, if it is not known. */
  public long end() {
    return completion == null || completion.type() == OpType.INFO
        ? Long.MAX_VALUE
        : completion.time();
  }

  /** Returns the lock and fence; empty if there is none. */
  public String resource() {
    return Objects.requireNonNullElse(invoke.resource(), "");
  }

  /** Returns the token, as the end of the operation tells it, or its beginning. */
  public @Nullable Long token() {
    return completion != null && completion.token() != null ? completion.token() : invoke.token();
  }

  /** Returns the hold that it belongs to. */
  public @Nullable String hold() {
    return completion != null && completion.hold() != null ? completion.hold() : invoke.hold();
  }

  /** Returns what was read, by row; empty unless it was acknowledged. */
  public Map<String, Row> rows() {
    return completion != null && ok() ? completion.rows() : Map.of();
  }

  /** Returns who it was, for a text. */
  String who() {
    return "%s of hold %s (token %s)"
        .formatted(f().name().toLowerCase(Locale.ROOT), hold(), token());
  }

  void addIndices(List<Integer> indices) {
    indices.add(invoke.index());
    if (completion != null) {
      indices.add(completion.index());
    }
  }
}
