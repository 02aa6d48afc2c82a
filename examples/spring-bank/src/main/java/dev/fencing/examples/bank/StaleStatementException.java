package dev.fencing.examples.bank;

/** A client has decided on a balance that has changed since: its token is not the account's. */
final class StaleStatementException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String resource;
  private final long presented;
  private final long stored;

  StaleStatementException(String resource, long presented, long stored) {
    super(
        "%s was last written under token %d, but the request comes from one who read it at %d: nothing was done. Read it again"
            .formatted(resource, stored, presented));
    this.resource = resource;
    this.presented = presented;
    this.stored = stored;
  }

  String resource() {
    return resource;
  }

  long presented() {
    return presented;
  }

  long stored() {
    return stored;
  }
}
