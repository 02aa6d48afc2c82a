package dev.fencing.harness.history;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One line of a history.
 *
 * <p>The keys that Knossos and Elle read are {@code :index}, {@code :time}, {@code :process},
 * {@code :type}, {@code :f} and {@code :value}; the others are for this checker. A process does one
 * thing at a time: threads of one worker that work side by side have process numbers of their own.
 *
 * @param index the place in the merged history, from 0; -1 in a worker's own file
 * @param time nanoseconds since the origin of the run, by {@link System#nanoTime()}
 * @param process who; a new number after each {@link OpType#INFO}
 * @param worker which of the worker JVMs
 * @param resource the lock and the fence
 * @param key the guarded row, where that is not the resource's only one; absent as well if several
 *     rows are read or written
 * @param token the token that is presented, or was granted
 * @param hold the hold it belongs to, unique in a run
 * @param op one attempt to write, unique in a run; the op_id of the log of accepted writes
 * @param value what was read, a {@link Row} or a map from key to {@link Row}, or what is to be
 *     written
 * @param live what the lease said of itself
 * @param error the exception, with its class in front
 */
public record Op(
    int index,
    long time,
    int process,
    int worker,
    OpType type,
    OpFunction f,
    @Nullable String resource,
    @Nullable String key,
    @Nullable Long token,
    @Nullable String hold,
    @Nullable String op,
    @Nullable Object value,
    @Nullable Boolean live,
    @Nullable String error) {

  /** Begins a line {@link OpType#INVOKE}. */
  public static Builder invoke(OpFunction f, int worker, int process) {
    return new Builder(OpType.INVOKE, f, worker, process);
  }

  /**
   * Begins the line that tells how this one, an invocation, went. Everything else is as here but
   * what the lease says.
   */
  public Builder completed(OpType how) {
    Builder builder = new Builder(how, f, worker, process);
    builder.resource = resource;
    builder.key = key;
    builder.token = token;
    builder.hold = hold;
    builder.op = op;
    builder.value = value;
    return builder;
  }

  /** Returns it with its place in a merged history. */
  public Op at(int place) {
    return new Op(
        place, time, process, worker, type, f, resource, key, token, hold, op, value, live, error);
  }

  /**
   * Tells whether the database refused it because of its token. That is read from the error, which
   * names a {@code StaleTokenException} or says "stale" in some other way.
   */
  public boolean isStale() {
    return type == OpType.FAIL && error != null && error.toLowerCase(Locale.ROOT).contains("stale");
  }

  /** Returns the rows that were read, by key; none if this is no answer to a read. */
  public Map<String, Row> rows() {
    if (value instanceof Row row) {
      return Map.of(key != null ? key : Objects.requireNonNullElse(resource, ""), row);
    }
    Map<String, Row> rows = new LinkedHashMap<>();
    if (value instanceof Map<?, ?> several) {
      several.forEach(
          (name, row) -> {
            if (row instanceof Row r) {
              rows.put(name.toString(), r);
            }
          });
    }
    return rows;
  }

  Map<String, @Nullable Object> toMap() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put("index", index < 0 ? null : index);
    map.put("time", time);
    map.put("process", process);
    map.put("worker", worker);
    map.put("type", type);
    map.put("f", f);
    map.put("resource", resource);
    map.put("key", key);
    map.put("token", token);
    map.put("hold", hold);
    map.put("op", op);
    map.put("value", value);
    map.put("live", live);
    map.put("error", error);
    return map;
  }

  static Op fromMap(Fields fields) {
    Long index = fields.optionalNumber("index");
    return new Op(
        index == null ? -1 : Math.toIntExact(index),
        fields.number("time"),
        fields.small("process"),
        fields.small("worker"),
        fields.constant("type", OpType.class),
        fields.constant("f", OpFunction.class),
        fields.optionalText("resource"),
        fields.optionalText("key"),
        fields.optionalNumber("token"),
        fields.optionalText("hold"),
        fields.optionalText("op"),
        fields.get("value"),
        fields.optionalFlag("live"),
        fields.optionalText("error"));
  }

  /** Collects what is known of a line. Not thread-safe. */
  public static final class Builder {
    private final OpType type;
    private final OpFunction f;
    private final int worker;
    private final int process;
    private @Nullable String resource;
    private @Nullable String key;
    private @Nullable Long token;
    private @Nullable String hold;
    private @Nullable String op;
    private @Nullable Object value;
    private @Nullable Boolean live;
    private @Nullable String error;

    private Builder(OpType type, OpFunction f, int worker, int process) {
      this.type = type;
      this.f = f;
      this.worker = worker;
      this.process = process;
    }

    public Builder resource(@Nullable String name) {
      resource = name;
      return this;
    }

    public Builder key(@Nullable String guardedRow) {
      key = guardedRow;
      return this;
    }

    public Builder token(@Nullable Long number) {
      token = number;
      return this;
    }

    public Builder hold(@Nullable String name) {
      hold = name;
      return this;
    }

    public Builder op(@Nullable String id) {
      op = id;
      return this;
    }

    public Builder value(@Nullable Object readOrWritten) {
      value = readOrWritten;
      return this;
    }

    public Builder live(@Nullable Boolean said) {
      live = said;
      return this;
    }

    public Builder error(@Nullable String text) {
      error = text;
      return this;
    }

    /** Writes the exception's class and message down. */
    public Builder error(Throwable thrown) {
      return error(thrown.getClass().getSimpleName() + ": " + thrown.getMessage());
    }

    /**
     * Ends the line.
     *
     * @param time nanoseconds since the origin of the run
     */
    public Op at(long time) {
      return new Op(
          -1, time, process, worker, type, f, resource, key, token, hold, op, value, live, error);
    }
  }
}
