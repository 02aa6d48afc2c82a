package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** The COMMIT of a transaction that has passed its checks, on a fenced connection. */
final class CheckedCommit {

  private CheckedCommit() {}

  /**
   * Commits.
   *
   * @param suspect whether a statement has failed, so that the server may have given up
   * @throws SQLException if the database refused; the transaction is to be rolled back
   * @throws UnknownOutcomeException if no answer came; the connection is cut, so that no failure of
   *     what follows on it can hide this one
   * @throws FencingException if the server had given up; the transaction is rolled back
   */
  static void run(JdbcFence fence, Connection raw, List<FencedResource> handles, boolean suspect)
      throws SQLException {
    if (suspect && fence.check().isAborted(raw)) {
      raw.rollback();
      throw Refusals.aborted(handles);
    }
    try {
      raw.commit();
    } catch (SQLException e) {
      if (fence.check().commitMayHaveHappened(raw, e)) {
        throw unknown(raw, handles, e);
      }
      throw e;
    } catch (RuntimeException e) {
      throw unknown(raw, handles, e);
    }
  }

  private static UnknownOutcomeException unknown(
      Connection raw, List<FencedResource> handles, Exception cause) {
    UnknownOutcomeException unknown = FencedTransaction.outcomeUnknown(handles, cause);
    LocalTransaction.abort(raw, unknown);
    return unknown;
  }
}
