package dev.fencing.examples.comparison.simulator;

/** What is compared. */
enum Arm {
  PLAIN("plain lease lock", 1, false, false),
  REDLOCK("Redlock on five nodes", 5, false, false),
  CHECKED("token checked at the write alone", 1, true, false),
  FENCED("fenced: raise, read, write", 1, true, true);

  private final String words;
  private final int nodes;
  private final boolean checks;
  private final boolean raises;

  Arm(String words, int nodes, boolean checks, boolean raises) {
    this.words = words;
    this.nodes = nodes;
    this.checks = checks;
    this.raises = raises;
  }

  String words() {
    return words;
  }

  int nodes() {
    return nodes;
  }

  /** Tells whether the storage validates the token of a write. */
  boolean checks() {
    return checks;
  }

  /** Tells whether a holder has its token raised before it reads. */
  boolean raises() {
    return raises;
  }
}
