package dev.fencing.jdbc;

/**
 * The fence does not hold this handle's raise: its row is gone, or it is older than the raise.
 *
 * <p>The raise was committed once, so the database has lost it: the row was deleted, or the
 * database was restored or failed over to a copy without it. Nothing was written; the handle is
 * dead. Find out what the database lost before the work goes on under a new acquisition.
 *
 * <p>Of a {@link FencedTable} it also says that there is no such row, without any claim before.
 */
public final class FenceMissingException extends FencingException {

  private static final long serialVersionUID = 1L;

  FenceMissingException(String message) {
    super(message, null);
  }
}
