package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Finds the sessions of PostgreSQL that keep a raise waiting, for messages. */
final class PostgresBlockers {

  /** For somebody who looks by hand. */
  static final String QUERY =
      "SELECT pid, pg_blocking_pids(pid), state, xact_start, query FROM pg_stat_activity"
          + " WHERE wait_event_type = 'Lock' OR state = 'idle in transaction'";

  private static final String SESSIONS =
      """
      SELECT DISTINCT format('pid %s (%s, %s, transaction open for %s)', a.pid, a.usename,
        coalesce(a.state, 'state hidden'), date_trunc('second', clock_timestamp() - a.xact_start))
      FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
      WHERE l.granted AND l.pid <> pg_backend_pid()
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      """;

  private static final String GATE_HOLDERS =
      SESSIONS
          + """
          AND l.locktype = 'advisory' AND l.objsubid = 1
          AND (l.classid::bigint << 32) | l.objid::bigint = hashtextextended(?, 0) LIMIT 5""";

  private static final String TABLE_USERS =
      SESSIONS
          + """
          AND l.locktype = 'relation' AND l.relation = to_regclass(?)
          AND l.mode <> 'AccessShareLock' LIMIT 5""";

  private PostgresBlockers() {}

  static String describe(Connection connection, String table, String gate) throws SQLException {
    List<String> sessions = list(connection, GATE_HOLDERS, gate);
    if (!sessions.isEmpty()) {
      return "In the way: "
          + String.join("; ", sessions)
          + ". End one with pg_terminate_backend(pid)";
    }
    sessions = list(connection, TABLE_USERS, table);
    return sessions.isEmpty()
        ? "No session is in the way any more; to look again: " + QUERY
        : "Nobody holds the gate of the fence, but these have locks in its table: "
            + String.join("; ", sessions);
  }

  private static List<String> list(Connection connection, String query, String parameter)
      throws SQLException {
    List<String> found = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setString(1, parameter);
      try (ResultSet results = statement.executeQuery()) {
        while (results.next()) {
          found.add(results.getString(1));
        }
      }
    }
    return found;
  }
}
