package dev.fencing.harness.arm;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Mutants with a fence in the row, which a conditional update compares. */
final class ConditionalUpdate extends HandWritten {

  private final boolean raises;
  private final String comparison;
  private final boolean looksAtCount;

  private ConditionalUpdate(Job job, boolean raises, String comparison, boolean looksAtCount) {
    super(job);
    this.raises = raises;
    this.comparison = comparison;
    this.looksAtCount = looksAtCount;
  }

  /** The well-known one: no raise, so an older holder's write lands after the new one's read. */
  static ConditionalUpdate withoutRaise(Job job) {
    return new ConditionalUpdate(job, false, "<=", true);
  }

  /** After the raise nothing is below the token any more, so nothing is ever written. */
  static ConditionalUpdate strict(Job job) {
    return new ConditionalUpdate(job, true, "<", true);
  }

  /** Takes a refused write for done. */
  static ConditionalUpdate countIgnored(Job job) {
    return new ConditionalUpdate(job, true, "<=", false);
  }

  @Override
  public Raise raises() {
    return raises ? Raise.APART : Raise.NONE;
  }

  @Override
  public void raise() throws Exception {
    try (Connection connection = job.database().getConnection()) {
      for (String key : job.reads()) {
        raiseRow(connection, key);
      }
    }
  }

  private void raiseRow(Connection connection, String key) throws SQLException, RefusedException {
    try (PreparedStatement raise =
        connection.prepareStatement(
            "UPDATE guarded SET fencing_token = ? WHERE key = ?"
                + " AND coalesce(fencing_token, 0) < ?")) {
      raise.setLong(1, job.grant().token());
      raise.setString(2, key);
      raise.setLong(3, job.grant().token());
      if (raise.executeUpdate() == 0) {
        throw new RefusedException("row " + key + " has seen a higher token");
      }
    }
  }

  @Override
  public void write(Change change, Pause pause) throws Exception {
    inTransaction(
        connection -> {
          int missed =
              Tables.write(
                  connection,
                  change,
                  ", fencing_token = ?",
                  " AND coalesce(fencing_token, 0) " + comparison + " ?");
          if (missed > 0 && looksAtCount) {
            throw new RefusedException(missed + " rows have seen a higher token");
          }
          pause.beforeCommit(connection);
        });
  }
}
