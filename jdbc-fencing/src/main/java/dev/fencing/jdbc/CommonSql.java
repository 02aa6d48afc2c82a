package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The statements of the fence that are the same on every database. */
final class CommonSql {

  /** The fence of the self-test: no resource may have its name. */
  static final String SELF_TEST = "fencing self-test";

  /** Microseconds since 1970 in the SQL standard. */
  static final String EPOCH = "CAST(EXTRACT(EPOCH FROM raised_at) * 1000000 AS bigint)";

  private final String states;
  private final String applied;
  private final String forget;

  /**
   * @param raisedAt when a fence was raised, in microseconds since 1970: what a driver makes of a
   *     time of day depends on time zones
   * @param shareLock what makes a read see the last commit where a snapshot may be older; may be
   *     empty
   */
  CommonSql(String table, String raisedAt, String shareLock) {
    this.states =
        "SELECT resource, generation, token, origin, holder, " + raisedAt + " FROM " + table;
    this.applied =
        "SELECT generation, token FROM "
            + operations(table)
            + " WHERE resource = ? AND operation_id = ?"
            + shareLock;
    this.forget =
        "DELETE FROM "
            + operations(table)
            + " WHERE resource = ? AND ((generation = ? AND token < ?) OR generation < ?)";
  }

  /** The table of applied operations, beside the guard table. */
  static String operations(String table) {
    return table + "_operation";
  }

  /** Returns the state of one fence, or of all in the order of their names. */
  List<FenceState> states(Connection connection, @Nullable String resource) throws SQLException {
    String query = states + (resource == null ? " ORDER BY resource" : " WHERE resource = ?");
    List<FenceState> found = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      if (resource != null) {
        statement.setString(1, resource);
      }
      try (ResultSet results = statement.executeQuery()) {
        while (results.next()) {
          FenceRow row =
              new FenceRow(results.getLong(2), results.getLong(3), 0, results.getString(4), null);
          Instant raisedAt = Instant.EPOCH.plus(results.getLong(6), ChronoUnit.MICROS);
          if (!results.getString(1).equals(SELF_TEST)) {
            found.add(
                new FenceState(
                    results.getString(1),
                    row.generation(),
                    row.token(),
                    row.origin(),
                    results.getString(5),
                    raisedAt,
                    row.isTombstone()));
          }
        }
      }
    }
    return found;
  }

  /** Returns the raise under which an operation was applied, null if there is none. */
  @Nullable FenceRow applied(Connection connection, String resource, String operationId)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(applied)) {
      statement.setString(1, resource);
      statement.setString(2, operationId);
      try (ResultSet results = statement.executeQuery()) {
        return results.next()
            ? new FenceRow(results.getLong(1), results.getLong(2), 0, null, null)
            : null;
      }
    }
  }

  /**
   * Forgets the operations that were applied more than {@code distance} below the token that the
   * fence is at. Tokens of an earlier generation are further away than the token of this one, which
   * has begun near zero.
   */
  int forget(Connection connection, FenceState now, long distance) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(forget)) {
      statement.setString(1, now.resource());
      statement.setLong(2, now.generation());
      statement.setLong(3, now.token() - distance);
      statement.setLong(4, now.token() > distance ? now.generation() : 0);
      return statement.executeUpdate();
    }
  }
}
