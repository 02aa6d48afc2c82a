package dev.fencing.examples.comparison.arm;

import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * The conditional update that everybody writes by hand:
 *
 * <pre>{@code
 * UPDATE account SET balance = ?, fencing_token = :token
 *  WHERE id = ? AND fencing_token < :token
 * }</pre>
 *
 * <p>Without a claim before the read it refuses whoever comes after its successor's write, and lets
 * through whoever comes between its successor's read and write.
 */
final class ConditionalStore implements Store {

  /** The condition on the token, and whether the row is claimed first. */
  enum Form {
    STRICT("<", false),
    NON_STRICT("<=", false),
    /** The claim is strict, so that a token claims a row once; its write is the second of it. */
    CLAIMED("<=", true);

    private final String comparison;
    private final boolean claims;

    Form(String comparison, boolean claims) {
      this.comparison = comparison;
      this.claims = claims;
    }
  }

  private final DataSource dataSource;
  private final Workload workload;
  private final Form form;
  private final String claim;
  private final String update;

  ConditionalStore(DataSource dataSource, Workload workload, Form form) {
    this.dataSource = dataSource;
    this.workload = workload;
    this.form = form;
    this.claim =
        "UPDATE %s SET fencing_token = ? WHERE id = ? AND fencing_token < ?"
            .formatted(workload.table());
    this.update =
        "UPDATE %s SET %s = ?, fencing_token = ? WHERE id = ? AND fencing_token %s ?"
            .formatted(workload.table(), workload.column(), form.comparison);
  }

  @Override
  public Work begin(String row, long token) throws SQLException, RefusedException {
    if (form.claims) {
      requireOne(Sql.update(dataSource, claim, token, row, token), row, token);
    }
    return new Work() {
      @Override
      public long read() throws SQLException {
        return Sql.query(dataSource, Sql.select(workload), row);
      }

      @Override
      public void write(long value) throws SQLException, RefusedException {
        requireOne(Sql.update(dataSource, update, value, token, row, token), row, token);
      }
    };
  }

  private static void requireOne(int rows, String row, long token) throws RefusedException {
    if (rows != 1) {
      throw new RefusedException(
          "%d rows updated for %s under token %d".formatted(rows, row, token));
    }
  }
}
