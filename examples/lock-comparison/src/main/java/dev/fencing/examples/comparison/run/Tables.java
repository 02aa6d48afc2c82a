package dev.fencing.examples.comparison.run;

import dev.fencing.examples.comparison.arm.Workload;
import dev.fencing.examples.comparison.history.Change;
import dev.fencing.jdbc.JdbcFence;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** The tables of an arm: the rows, and a log of their changes that a trigger writes. */
final class Tables {

  private static final List<String> DROPS =
      List.of(
          "DROP TABLE IF EXISTS %1$s",
          "DROP TABLE IF EXISTS value_change",
          "DROP SEQUENCE IF EXISTS lock_token",
          "DROP TABLE IF EXISTS fence",
          "DROP TABLE IF EXISTS fence_operation");

  private static final List<String> CREATES =
      List.of(
          "CREATE SEQUENCE lock_token",
          """
          CREATE TABLE %1$s (
            id            varchar(64) PRIMARY KEY,
            %2$s          bigint NOT NULL,
            fencing_token bigint NOT NULL DEFAULT 0)
          """);

  /** The sequence is taken while the row is locked, so it is in commit order for each row. */
  private static final List<String> POSTGRES_LOG =
      List.of(
          """
          CREATE TABLE value_change (
            sequence     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            id           varchar(64) NOT NULL,
            before_value bigint NOT NULL,
            after_value  bigint NOT NULL,
            token        bigint NOT NULL)
          """,
          """
          CREATE OR REPLACE FUNCTION log_value_change() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
            INSERT INTO value_change (id, before_value, after_value, token)
            VALUES (NEW.id, OLD.%2$s, NEW.%2$s, NEW.fencing_token);
            RETURN NULL;
          END $$
          """,
          """
          CREATE TRIGGER log_value_change AFTER UPDATE OF %2$s ON %1$s
          FOR EACH ROW EXECUTE FUNCTION log_value_change()
          """);

  private static final List<String> MARIADB_LOG =
      List.of(
          """
          CREATE TABLE value_change (
            sequence     bigint AUTO_INCREMENT PRIMARY KEY,
            id           varchar(64) NOT NULL,
            before_value bigint NOT NULL,
            after_value  bigint NOT NULL,
            token        bigint NOT NULL)
          """,
          """
          CREATE TRIGGER log_value_change AFTER UPDATE ON %1$s FOR EACH ROW
          INSERT INTO value_change (id, before_value, after_value, token)
          SELECT NEW.id, OLD.%2$s, NEW.%2$s, NEW.fencing_token FROM DUAL
          WHERE OLD.%2$s <> NEW.%2$s
          """);

  private static final String CHANGES =
      "SELECT sequence, id, before_value, after_value, token FROM value_change"
          + " WHERE id LIKE ? ORDER BY sequence";

  private final DataSource dataSource;
  private final Workload workload;

  Tables(DataSource dataSource, Workload workload) {
    this.dataSource = dataSource;
    this.workload = workload;
  }

  /** Makes them anew, each row with the opening value and no token. */
  void create(int rows, int workers) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      boolean postgres = connection.getMetaData().getDatabaseProductName().startsWith("Postgre");
      execute(connection, DROPS);
      execute(connection, CREATES);
      execute(connection, postgres ? POSTGRES_LOG : MARIADB_LOG);
      String insert =
          "INSERT INTO %s (id, %s) VALUES (?, ?)".formatted(workload.table(), workload.column());
      try (PreparedStatement statement = connection.prepareStatement(insert)) {
        for (int row = 0; row < rows; row++) {
          insert(statement, workload.row(row));
        }
        for (int worker = 0; worker < workers; worker++) {
          insert(statement, workload.warmUpRow(worker));
        }
      }
    }
    JdbcFence.of(dataSource).createSchema();
  }

  private void execute(Connection connection, List<String> statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql.formatted(workload.table(), workload.column()));
      }
    }
  }

  private static void insert(PreparedStatement statement, String id) throws SQLException {
    statement.setString(1, id);
    statement.setLong(2, Workload.OPENING);
    statement.executeUpdate();
  }

  /** What has changed, without the warm-ups. */
  List<Change> changes() throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(CHANGES)) {
      statement.setString(1, workload.table() + "-%");
      List<Change> changes = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          changes.add(
              new Change(
                  rows.getLong(1),
                  rows.getString(2),
                  rows.getLong(3),
                  rows.getLong(4),
                  rows.getLong(5)));
        }
      }
      return changes;
    }
  }
}
