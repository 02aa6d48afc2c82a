package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Finds a driver that prepares statements under names behind a proxy that pools transactions.
 *
 * <p>A name is known to one connection of the server, and means something else on another.
 */
final class PostgresStatements {

  private static final String ECHO = "SELECT ?::bigint";

  /** More than the driver's own threshold, from which on a statement has a name. */
  private static final int EXECUTIONS = 7;

  static final String NAME_TAKEN = "42P05";

  private static final String NAME_UNKNOWN = "26000";

  /** Also of other parameters than those of the statement, among much else. */
  private static final String PROTOCOL = "08P01";

  private PostgresStatements() {}

  static FenceSchemaException lost(@Nullable Throwable cause) {
    return new FenceSchemaException(
        "this database cannot hold a fence: in the self-test a statement that the driver had prepared under a name was gone, or was another one, in the next transaction. A proxy in front of the server gives each transaction a connection of its choice, and only one of them knows the name: the statement of another client may run in the place of yours, of a COMMIT even. Let the driver use no names (prepareThreshold=0 for PostgreSQL's), or let the proxy keep them (max_prepared_statements of PgBouncer 1.21). Nothing was raised",
        cause);
  }

  static boolean isMixedUp(@Nullable Throwable failure) {
    return failure instanceof SQLException e
        && (NAME_TAKEN.equals(e.getSQLState()) || NAME_UNKNOWN.equals(e.getSQLState()));
  }

  /** See {@link Dialect#lostStatements}. */
  static boolean areKept(Connection one, Connection other) throws SQLException {
    try (PreparedStatement echo = one.prepareStatement(ECHO);
        PreparedStatement inTheWay = other.prepareStatement(ECHO)) {
      for (int i = 0; i < EXECUTIONS; i++) {
        if (!comesBack(echo, i)) {
          return false;
        }
      }
      one.rollback();
      if (!comesBack(echo, EXECUTIONS)) { // Elsewhere if the proxy gives them in turn.
        return false;
      }
      one.rollback();
      // Takes what was given back last, so that the next one has to be elsewhere.
      return comesBack(inTheWay, -1) && comesBack(echo, -1);
    } catch (SQLException e) {
      if (isMixedUp(e) || PROTOCOL.equals(e.getSQLState())) {
        return false;
      }
      throw e;
    }
  }

  private static boolean comesBack(PreparedStatement echo, long number) throws SQLException {
    echo.setLong(1, number);
    try (ResultSet results = echo.executeQuery()) {
      return results.next() && results.getLong(1) == number;
    }
  }
}
