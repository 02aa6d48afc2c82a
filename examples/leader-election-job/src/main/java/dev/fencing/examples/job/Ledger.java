package dev.fencing.examples.job;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The SQL of the job. Every method runs in the transaction of the connection that it is given.
 *
 * <p>Nothing here knows of fencing: what is fenced is the transaction. Thread-safe.
 */
public final class Ledger {

  private static final String READ =
      """
      SELECT position, account, opening_cents, balance_cents
      FROM fencing_demo_account
      WHERE position >= (SELECT next_position FROM fencing_demo_progress WHERE job = ?)
      ORDER BY position
      LIMIT ?
      """;

  private static final String WRITE =
      """
      UPDATE fencing_demo_account a
      SET balance_cents = n.balance_cents
      FROM unnest(?, ?) AS n(position, balance_cents)
      WHERE a.position = n.position
      """;

  private static final String ADVANCE =
      "UPDATE fencing_demo_progress SET next_position = ? WHERE job = ?";

  private static final String BOOK_DEPOSITS =
      """
      WITH inbox AS (
        UPDATE fencing_demo_deposit SET booked = true WHERE NOT booked RETURNING account, cents),
      deposit AS (
        SELECT account, sum(cents)::bigint AS cents FROM inbox GROUP BY account)
      UPDATE fencing_demo_account a
      SET balance_cents = a.balance_cents + d.cents
      FROM deposit d
      WHERE a.account = d.account
      """;

  private final String job;
  private final int batchSize;

  /**
   * Makes the SQL of one job.
   *
   * @param job key of the job's position
   * @param batchSize most accounts in one batch, at least 1
   */
  public Ledger(String job, int batchSize) {
    if (batchSize < 1) {
      throw new IllegalArgumentException("batch size " + batchSize + " is less than 1");
    }
    this.job = job;
    this.batchSize = batchSize;
  }

  /** Reads the batch that begins at the job's committed position; empty at the ledger's end. */
  public Batch read(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(READ)) {
      statement.setString(1, job);
      statement.setInt(2, batchSize);
      List<Batch.Account> accounts = new ArrayList<>(batchSize);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          accounts.add(
              new Batch.Account(row.getInt(1), row.getString(2), row.getLong(3), row.getLong(4)));
        }
      }
      int from = accounts.isEmpty() ? 0 : accounts.get(0).position();
      return new Batch(from, from + accounts.size(), accounts);
    }
  }

  /**
   * Sets the balances of {@code batch}, and the job's position to the end of it.
   *
   * @return how many accounts were written
   */
  public int write(Connection connection, Batch batch) throws SQLException {
    Object[] positions = batch.accounts().stream().map(Batch.Account::position).toArray();
    Object[] balances = batch.accounts().stream().map(Batch.Account::balanceCents).toArray();
    Array positionArray = connection.createArrayOf("integer", positions);
    Array balanceArray = connection.createArrayOf("bigint", balances);
    try (PreparedStatement update = connection.prepareStatement(WRITE);
        PreparedStatement advance = connection.prepareStatement(ADVANCE)) {
      update.setArray(1, positionArray);
      update.setArray(2, balanceArray);
      expect(batch.accounts().size(), update.executeUpdate(), "accounts");
      advance.setInt(1, batch.to());
      advance.setString(2, job);
      expect(1, advance.executeUpdate(), "positions of job " + job);
      return batch.accounts().size();
    }
  }

  /**
   * Books the deposits that wait in the inbox.
   *
   * @return how many accounts got one
   */
  public int bookDeposits(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(BOOK_DEPOSITS)) {
      return statement.executeUpdate();
    }
  }

  // These rows were read before; a count that differs means that somebody else changes the tables.
  private static void expect(int expected, int changed, String what) throws SQLException {
    if (changed != expected) {
      throw new SQLException("changed %d %s instead of %d".formatted(changed, what, expected));
    }
  }
}
