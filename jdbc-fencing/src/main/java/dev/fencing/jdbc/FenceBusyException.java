package dev.fencing.jdbc;

import java.sql.SQLException;

/**
 * A raise, a renewal or a check did not get past other transactions within its bound.
 *
 * <p>Nothing was written. A raise waits for every open transaction that passed the check before it,
 * a frozen holder's among them; the message names the database sessions in the way where the
 * database tells, or the query that does. It may be tried again.
 *
 * <p>A call of a {@link FencedTable} waits for transactions that write the same rows.
 */
public final class FenceBusyException extends FencingException {

  private static final long serialVersionUID = 1L;

  FenceBusyException(String message, SQLException cause) {
    super(message, cause);
  }
}
