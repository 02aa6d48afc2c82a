package dev.fencing.examples.job.demo;

import dev.fencing.examples.job.OpeningBalance;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** The tables of the demo, as the demo itself sees them: made, filled, and read for the audit. */
final class LedgerTables implements AutoCloseable {

  /** The guard table, which the fence itself creates. */
  static final String FENCE = "fencing_demo_fence";

  private static final List<String> TABLES =
      List.of("fencing_demo_deposit", "fencing_demo_account", "fencing_demo_progress", FENCE);

  private static final String CREATE =
      """
      CREATE TABLE fencing_demo_account (
        position integer PRIMARY KEY,
        account text NOT NULL UNIQUE,
        opening_cents bigint NOT NULL,
        balance_cents bigint NOT NULL);
      CREATE TABLE fencing_demo_progress (
        job text PRIMARY KEY,
        next_position integer NOT NULL);
      CREATE TABLE fencing_demo_deposit (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        account text NOT NULL REFERENCES fencing_demo_account (account),
        cents bigint NOT NULL CHECK (cents > 0),
        booked boolean NOT NULL DEFAULT false)
      """;

  private static final Duration CONNECT_BOUND = Duration.ofSeconds(5);
  private static final Duration ANSWER_BOUND = Duration.ofSeconds(60);
  private static final int CHUNK = 10_000;

  private final Connection connection;

  private LedgerTables(Connection connection) {
    this.connection = connection;
  }

  /**
   * Connects to the database.
   *
   * @throws DemoException if it does not answer or refuses the user
   */
  static LedgerTables connect(Servers.Database database) {
    long start = System.nanoTime();
    Properties properties = new Properties();
    properties.setProperty("user", database.user());
    if (database.password() != null) {
      properties.setProperty("password", database.password());
    }
    properties.setProperty("connectTimeout", Long.toString(CONNECT_BOUND.toSeconds()));
    properties.setProperty("loginTimeout", Long.toString(CONNECT_BOUND.toSeconds()));
    properties.setProperty("socketTimeout", Long.toString(ANSWER_BOUND.toSeconds()));
    properties.setProperty("ApplicationName", "fencing-demo");
    try {
      return new LedgerTables(DriverManager.getConnection(database.url(), properties));
    } catch (SQLException e) {
      throw DemoException.badInput(
          "no connection to the database %s as %s after %.1f s: %s"
              .formatted(
                  withoutParameters(database.url()),
                  database.user(),
                  (System.nanoTime() - start) / 1e9,
                  oneLine(e)));
    }
  }

  /**
   * Creates the tables and fills them, in one transaction.
   *
   * @throws DemoException if one of them is there and not empty, unless {@code reset} is true
   */
  void create(List<OpeningBalance> accounts, String job, boolean reset) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      for (String table : TABLES) {
        if (!reset && hasRows(statement, table)) {
          throw DemoException.badInput(
              "table %s is not empty; --reset drops it and %s"
                  .formatted(table, TABLES.stream().filter(t -> !t.equals(table)).toList()));
        }
      }
      statement.execute("DROP TABLE IF EXISTS " + String.join(", ", TABLES));
      statement.execute(CREATE);
      insert(accounts);
      try (PreparedStatement progress =
          connection.prepareStatement("INSERT INTO fencing_demo_progress VALUES (?, 0)")) {
        progress.setString(1, job);
        progress.executeUpdate();
      }
      connection.commit();
    } catch (SQLException e) {
      connection.rollback();
      throw DemoException.badInput("the tables cannot be created: " + oneLine(e));
    } catch (RuntimeException e) {
      connection.rollback();
      throw e;
    } finally {
      connection.setAutoCommit(true);
    }
  }

  private void insert(List<OpeningBalance> accounts) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            """
            INSERT INTO fencing_demo_account (position, account, opening_cents, balance_cents)
            SELECT ? + n - 1, account, cents, cents
            FROM unnest(?, ?) WITH ORDINALITY AS opening(account, cents, n)
            """)) {
      for (int from = 0; from < accounts.size(); from += CHUNK) {
        List<OpeningBalance> chunk =
            accounts.subList(from, Math.min(accounts.size(), from + CHUNK));
        insert.setInt(1, from);
        insert.setArray(2, array("text", chunk.stream().map(OpeningBalance::account).toArray()));
        insert.setArray(3, array("bigint", chunk.stream().map(OpeningBalance::cents).toArray()));
        insert.executeUpdate();
      }
    }
  }

  /** Puts a deposit into the inbox, from where the leader books it. */
  void deposit(String account, long cents) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO fencing_demo_deposit (account, cents) VALUES (?, ?)")) {
      insert.setString(1, account);
      insert.setLong(2, cents);
      insert.executeUpdate();
    }
  }

  /** Returns the balance of every account in the ledger, in cents. */
  Map<String, Long> balances() throws SQLException {
    Map<String, Long> balances = new HashMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT account, balance_cents FROM fencing_demo_account")) {
      while (row.next()) {
        balances.put(row.getString(1), row.getLong(2));
      }
    }
    return balances;
  }

  private java.sql.Array array(String type, Object[] elements) throws SQLException {
    return connection.createArrayOf(type, elements);
  }

  private static boolean hasRows(Statement statement, String table) throws SQLException {
    try (ResultSet found = statement.executeQuery("SELECT to_regclass('" + table + "')")) {
      found.next();
      if (found.getString(1) == null) {
        return false;
      }
    }
    try (ResultSet any = statement.executeQuery("SELECT EXISTS (SELECT 1 FROM " + table + ")")) {
      any.next();
      return any.getBoolean(1);
    }
  }

  private static String oneLine(SQLException e) {
    return String.valueOf(e.getMessage()).replaceAll("\\s+", " ");
  }

  // The parameters may hold a password.
  private static String withoutParameters(String url) {
    int question = url.indexOf('?');
    return question < 0 ? url : url.substring(0, question);
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
