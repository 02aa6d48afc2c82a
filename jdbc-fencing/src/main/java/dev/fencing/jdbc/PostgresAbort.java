package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;

/** The state of a transaction of PostgreSQL in which the server will not commit it. */
final class PostgresAbort {

  private PostgresAbort() {}

  /** Brings the open transaction into it. */
  static void abort(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'FEN01', MESSAGE ="
              + " 'the fencing token of this transaction was refused; it cannot be committed';"
              + " END $$");
      throw new SQLException("the transaction could not be poisoned", "FEN01");
    } catch (SQLException expected) {
      if (!isAborted(connection)) {
        throw expected;
      }
    }
  }

  /** Ends the transaction that a failed text has begun, since nobody else knows of it. */
  static void leave(Connection connection, Exception failure) {
    try (Statement statement = connection.createStatement()) {
      statement.execute("ROLLBACK");
    } catch (SQLException e) {
      LocalTransaction.abort(connection, failure);
    }
  }

  static boolean isAborted(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT 1");
      return false;
    } catch (SQLException failure) {
      if (Objects.equals(failure.getSQLState(), "25P02")) {
        return true;
      }
      throw failure;
    }
  }
}
