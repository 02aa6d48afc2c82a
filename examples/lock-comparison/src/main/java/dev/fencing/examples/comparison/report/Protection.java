package dev.fencing.examples.comparison.report;

import java.util.Locale;

/** What stands between a holder that lost its lock and the data. */
public enum Protection {
  /** Not even a lock. */
  NONE("no lock"),
  /** A lock that can end while its holder still believes in it; nothing checks what is written. */
  LEASE("lock, no fence"),
  /** The write compares tokens, but nothing was raised before the read. */
  CONDITIONAL("lock, token compared by the write"),
  /** The database refuses the writes of a holder whose token is no longer the latest. */
  FENCED("lock and fence"),
  /** The lock is one of the database, which does not pass it on while its connection lives. */
  DATABASE("lock of the database itself");

  private final String words;

  Protection(String words) {
    this.words = words;
  }

  /** Tells whether an arm that is protected like this must not lose an update. */
  boolean keepsEveryUpdate() {
    return this == FENCED || this == DATABASE;
  }

  /** Returns what it is called where things are coloured. */
  String style() {
    return name().toLowerCase(Locale.ROOT);
  }

  String words() {
    return words;
  }
}
