package dev.fencing.jdbc;

/**
 * COMMIT was sent and its answer never came: the transaction is durable, or will be, or never was.
 *
 * <p>The handle is dead, because its own late write could still land behind a repeated one. Call
 * {@link FencedResource#renew()}, which waits for that transaction to end one way or the other, or
 * acquire the lock anew; then read what the database holds and go on from there. Repeating the work
 * without reading may apply it twice. Of a row of a {@link FencedTable} with a claim column, a new
 * {@link FencedTable#claim} is what waits and reads.
 */
public final class UnknownOutcomeException extends FencingException {

  private static final long serialVersionUID = 1L;

  UnknownOutcomeException(String message, Throwable cause) {
    super(message, cause);
  }
}
