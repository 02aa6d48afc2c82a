package dev.fencing.harness.arm;

import dev.fencing.harness.history.Row;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.LinkedHashMap;
import java.util.Map;

/** Mutant: one statement raises and reads, so what it reads is older than its wait for the lock. */
final class RaiseAndRead extends HandWritten {

  private static final String SQL =
      """
      WITH raised AS (
        INSERT INTO hand_fence AS f VALUES (?, ?) ON CONFLICT (resource) DO UPDATE
          SET token = excluded.token WHERE f.token < excluded.token RETURNING 1)
      SELECT g.key, g.ver, g.value FROM guarded g, raised WHERE g.key = ANY (?)
      """;

  private final Map<String, Row> rows = new LinkedHashMap<>();

  RaiseAndRead(Job job) {
    super(job);
  }

  @Override
  public void raise() throws Exception {
    try (Connection connection = job.database().getConnection();
        PreparedStatement statement = connection.prepareStatement(SQL)) {
      statement.setString(1, job.resource());
      statement.setLong(2, job.grant().token());
      statement.setArray(3, connection.createArrayOf("text", job.reads().toArray()));
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          rows.put(
              result.getString(1),
              new Row(result.getLong(2), Tables.value(job.workload(), result.getString(3))));
        }
      }
    }
    if (rows.isEmpty()) {
      throw new RefusedException("the fence of " + job.resource() + " is not below the token");
    }
  }

  @Override
  public Map<String, Row> read() throws Exception {
    if (rows.isEmpty()) {
      return super.read();
    }
    Map<String, Row> first = Map.copyOf(rows);
    rows.clear();
    return first;
  }
}
