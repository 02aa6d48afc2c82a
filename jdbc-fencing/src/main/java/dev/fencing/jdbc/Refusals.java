package dev.fencing.jdbc;

import java.sql.SQLException;
import java.util.List;

/** What a fenced connection says when it refuses. */
final class Refusals {

  private Refusals() {}

  /** Refuses holds that were bound after the check of others. */
  static void requireAmong(List<FencedResource> checked, List<FencedResource> bound) {
    for (FencedResource handle : bound) {
      if (!checked.contains(handle)) {
        throw tooLate(handle, "has checked other fences before this hold was bound");
      }
    }
  }

  /** Refuses a hold in a transaction that has begun without one, and none where one must be. */
  static void requireUnfenced(List<FencedResource> bound, boolean refuseUnbound) {
    if (!bound.isEmpty()) {
      throw tooLate(bound.get(0), "has begun before this hold was bound, unfenced");
    } else if (refuseUnbound) {
      throw noHold();
    }
  }

  static FencingException begunByText(FencedResource handle) {
    return tooLate(handle, "was begun or ended by an SQL text, which cannot be followed,");
  }

  private static FencingException tooLate(FencedResource handle, String why) {
    return new FencingException(
        "a statement under %s was refused: the transaction on this connection %s, and may have read before the raise. Bind the hold first, then begin the transaction. The statement was not run"
            .formatted(handle, why),
        null);
  }

  static FencingException noHold() {
    return new FencingException(
        "a statement was refused because this thread works under no hold, and its DataSource lets nobody write without one: run it in FencedResource.call, or in a read-only transaction. It was not run",
        null);
  }

  static FencingException endedByServer(List<FencedResource> handles, SQLException failure) {
    return new FencingException(
        "the transaction on %s cannot go on: the database rolled it back with \"%s\" (SQLState %s), and what follows would run unchecked. Roll back, and begin anew"
            .formatted(handles, failure.getMessage(), failure.getSQLState()),
        failure);
  }

  static FencingException aborted(List<FencedResource> handles) {
    return new FencingException(
        "the transaction on %s was rolled back: a statement had failed, which ended it on the server, and the work went on as if it had not"
            .formatted(handles),
        null);
  }

  static FencingException inPlaceOfCommit(FencingException why) {
    return new FencingException(
        "the transaction was rolled back in place of the commit, because it was refused before: "
            + why.getMessage(),
        why);
  }

  /** For what cannot run in a transaction, and could where autocommit mode was not wrapped. */
  static Throwable notInATransaction(Throwable failure) {
    return failure instanceof SQLException sql && "25001".equals(sql.getSQLState())
        ? new SQLException(
            sql.getMessage()
                + ". Under a hold every statement runs in a transaction that checks the fence; run this one where no hold is bound",
            sql.getSQLState(),
            sql)
        : failure;
  }
}
