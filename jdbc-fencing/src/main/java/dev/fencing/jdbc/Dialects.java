package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Finds the dialect of a database when its first connection is there, and keeps it. */
final class Dialects {

  private final String table;
  private final Duration idleInTransaction;
  private volatile @Nullable Dialect known;

  Dialects(String table, Duration idleInTransaction) {
    this.table = table;
    this.idleInTransaction = idleInTransaction;
  }

  /**
   * Asks the server once, and leaves no transaction open behind the question.
   *
   * @param connection in a transaction that has done nothing yet
   */
  Dialect of(Connection connection) throws SQLException {
    Dialect dialect = known;
    if (dialect == null) {
      dialect = of(Database.of(connection));
      connection.rollback();
      known = dialect;
    }
    return dialect;
  }

  /** The dialect that an earlier call has found; a handle exists only after one. */
  Dialect known() {
    return Objects.requireNonNull(known);
  }

  /** How to read SQL texts; while nothing is known yet, no fence is held that they could end. */
  EndingStatement.Rules rules() {
    Dialect dialect = known;
    return dialect == null ? EndingStatement.Rules.POSTGRESQL : dialect.rules();
  }

  Dialect.Failure classify(SQLException failure) {
    Dialect dialect = known;
    return dialect == null ? Dialect.Failure.ofConnecting(failure) : dialect.classify(failure);
  }

  private Dialect of(Database database) {
    return switch (database) {
      case POSTGRESQL -> new PostgresDialect(table, idleInTransaction);
      case MYSQL -> new MySqlDialect(table);
      case MARIADB -> new MariaDbDialect(table);
      case H2 -> new H2Dialect(table);
    };
  }
}
