package dev.fencing.harness.checker;

/** What is checked. */
public enum Check {
  C1("versions are unique and without a gap"),
  C2("what was acknowledged is there, what was refused is not"),
  C3("tokens never fall"),
  C4("no update is lost"),
  C5("no write lands past a read by a larger token"),
  C6("what was acknowledged is seen by all that begins later"),
  C7("tokens of a lock rise, and a hold keeps its own"),
  C8("no refusal without a reason"),
  C9("a lost lease stays lost"),
  C10("nothing is left"),
  C11("after healing every worker gets every lock within 10 s"),
  B1("the total of the bank stays"),
  F1("what a fault itself tried was refused");

  private final String promise;

  Check(String promise) {
    this.promise = promise;
  }

  /** Returns what must be true, in a few words. */
  public String promise() {
    return promise;
  }
}
