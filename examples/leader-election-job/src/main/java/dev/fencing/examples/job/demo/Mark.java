package dev.fencing.examples.job.demo;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A point that a worker has reached, as one line of text: kind, then {@code key=value}, with tabs
 * in between.
 */
record Mark(Kind kind, Map<String, String> fields) {

  /** The points of a worker's life; at some it waits until it gets a line back. */
  enum Kind {
    READY(true),
    LEADING(false),
    DEPOSITS(false),
    COMPUTED(true),
    WRITTEN(true),
    REFUSED(false),
    LEASE_LOST(false),
    SESSION_LOST(false),
    DONE(false),
    ENDED(false);

    private final boolean waits;

    Kind(boolean waits) {
      this.waits = waits;
    }

    boolean waits() {
      return waits;
    }
  }

  private static final String SEPARATOR = "\t";

  /** Makes a mark of alternating keys and values. */
  static Mark of(Kind kind, Object... keysAndValues) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      String value = keysAndValues[i + 1].toString().replaceAll("\\s+", " ");
      fields.put(keysAndValues[i].toString(), value);
    }
    return new Mark(kind, fields);
  }

  static Mark parse(String line) {
    String[] parts = line.split(SEPARATOR, -1);
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 1; i < parts.length; i++) {
      int equals = parts[i].indexOf('=');
      fields.put(parts[i].substring(0, equals), parts[i].substring(equals + 1));
    }
    return new Mark(Kind.valueOf(parts[0]), fields);
  }

  String line() {
    StringBuilder line = new StringBuilder(kind.name());
    fields.forEach((key, value) -> line.append(SEPARATOR).append(key).append('=').append(value));
    return line.toString();
  }

  String text(String key) {
    String value = fields.get(key);
    if (value == null) {
      throw new IllegalArgumentException(kind + " without " + key);
    }
    return value;
  }

  long number(String key) {
    return Long.parseLong(text(key));
  }

  /** Whether the batch of this mark holds the account at {@code position}. */
  boolean covers(int position) {
    return number("from") <= position && position < number("to");
  }
}
