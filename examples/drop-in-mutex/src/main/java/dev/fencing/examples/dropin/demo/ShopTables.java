package dev.fencing.examples.dropin.demo;

import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.PostgresEnforcement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** The tables of the shop, as the operator of the switch sees them. */
final class ShopTables {

  /** How many pieces of an article there are when its first order comes. */
  static final int OPENING = 10_000;

  private static final String CREATE =
      """
      CREATE TABLE shelf (
        article text PRIMARY KEY,
        pieces integer NOT NULL);
      CREATE TABLE shipment (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        order_id text NOT NULL UNIQUE,
        article text NOT NULL REFERENCES shelf (article),
        pieces integer NOT NULL,
        left_over integer NOT NULL,
        shipped_by text NOT NULL DEFAULT current_setting('application_name'))
      """;

  /** In their order each shipment leaves what the one before has left, minus its own pieces. */
  private static final String AUDIT =
      """
      WITH step AS (
        SELECT pieces, left_over,
          lag(left_over, 1, ?) OVER in_order AS found,
          shipped_by, lag(shipped_by) OVER in_order AS before
        FROM shipment WHERE article = ? WINDOW in_order AS (ORDER BY id))
      SELECT count(*),
        count(*) FILTER (WHERE shipped_by <> before),
        count(*) FILTER (WHERE left_over <> found - pieces),
        ? - coalesce(sum(pieces), 0),
        (SELECT pieces FROM shelf WHERE article = ?)
      FROM step
      """;

  private final DataSource database;

  ShopTables(DataSource database) {
    this.database = database;
  }

  /** Creates them, with {@code articles} articles named {@code article-1} and so on. */
  void create(int articles) throws SQLException {
    execute(CREATE);
    execute(
        "INSERT INTO shelf SELECT 'article-' || n, %d FROM generate_series(1, %d) AS n"
            .formatted(OPENING, articles));
  }

  /** Creates the guard table: step 2, of which no instance takes notice. */
  void createFence() {
    JdbcFence.of(database).createSchema();
  }

  /** Has the database refuse whoever writes without a check. */
  void enforce() throws SQLException {
    execute(PostgresEnforcement.ddl("fence"));
    execute("SELECT fence_guard_table('shelf', 'shelf'), fence_guard_table('shipment', 'shelf')");
  }

  Audit audit(String article) throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement select = connection.prepareStatement(AUDIT)) {
      select.setInt(1, OPENING);
      select.setString(2, article);
      select.setInt(3, OPENING);
      select.setString(4, article);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return new Audit(row.getInt(1), row.getInt(2), row.getInt(3), row.getInt(4), row.getInt(5));
      }
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
