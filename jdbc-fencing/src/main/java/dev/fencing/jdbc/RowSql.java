package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Row mode on one kind of database, and what that database's errors mean. */
interface RowSql {

  static RowSql of(Database database) {
    return switch (database) {
      case POSTGRESQL -> new PostgresRowSql();
      case MYSQL, MARIADB -> new InnoDbRowSql();
      case H2 -> new H2RowSql();
    };
  }

  /**
   * Makes ready a connection for a transaction of the library's own: READ COMMITTED, in which every
   * statement judges by current values. Called before it begins.
   *
   * @return puts the connection back as it was, after the transaction
   */
  Undo prepare(Connection connection) throws SQLException;

  /**
   * Runs the operations in the open transaction of {@code connection}, waiting no longer than
   * {@code bound} for all their locks together, and judges each of them by the fence of its locked
   * row. The limit does not outlast the call.
   *
   * @param own whether the transaction is the library's and this is its first statement
   */
  List<RowResult> run(
      Connection connection, List<RowOperation> operations, Duration bound, boolean own)
      throws SQLException;

  /**
   * Makes ready one operation that is committed in the same round trip, where the database can do
   * that. Nothing is sent yet, so whatever this throws is no doubt about an outcome.
   *
   * @param connection in autocommit mode
   * @return null if it cannot be run so
   */
  default @Nullable Ready atOnce(Connection connection, RowOperation operation, Duration bound)
      throws SQLException {
    return null;
  }

  /** What keeps a table whose columns are right from holding a fence, in words. */
  default List<String> tableProblems(Connection connection, String table) throws SQLException {
    return List.of();
  }

  /** Makes sure that the open transaction is never committed. */
  void poison(Connection connection) throws SQLException;

  Dialect.Failure classify(SQLException failure);

  /** Whether a commit that threw this may nevertheless be durable. */
  boolean commitMayHaveHappened(Connection connection, SQLException failure);

  /** A hint for a message. */
  String howToFindBlockers();

  /** An operation that is sent together with its COMMIT. For one call. */
  @FunctionalInterface
  interface Ready {

    /**
     * Sends it.
     *
     * @return null if it has not passed; nothing was written then
     * @throws SQLException also if the row does not show the write
     * @throws FencingException if the driver cannot read the answer
     */
    @Nullable RowResult send() throws SQLException;
  }

  /** Puts something back. */
  @FunctionalInterface
  interface Undo {
    void run() throws SQLException;
  }
}
