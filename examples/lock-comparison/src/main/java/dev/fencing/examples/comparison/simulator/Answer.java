package dev.fencing.examples.comparison.simulator;

/** What an HTTP service would answer. */
record Answer(int status, String text) {

  static final int OK = 200;

  /** What the request asked for to be true before it is not: the token is no longer the latest. */
  static final int PRECONDITION_FAILED = 412;

  static Answer ok(String text) {
    return new Answer(OK, text);
  }

  static Answer preconditionFailed(String text) {
    return new Answer(PRECONDITION_FAILED, text);
  }

  boolean isOk() {
    return status == OK;
  }

  @Override
  public String toString() {
    return status + (isOk() ? " OK: " : " Precondition Failed: ") + text;
  }
}
