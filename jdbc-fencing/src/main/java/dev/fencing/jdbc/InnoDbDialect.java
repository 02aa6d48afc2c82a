package dev.fencing.jdbc;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What MySQL and MariaDB have in common.
 *
 * <p>The check is a locking read, which sees the row as it is now, at every isolation level; the
 * plain read inside it makes the snapshot of a REPEATABLE READ transaction, or shows the one that
 * was made before.
 */
abstract class InnoDbDialect extends RowLockDialect {

  static final String ROW =
      "generation, token, raise_id, origin,"
          + " CONCAT(COALESCE(holder, 'an unnamed holder'), ' at ', raised_at, ' UTC')";

  private static final String NOW = "UTC_TIMESTAMP(6)";

  private final String table;
  private final String upsert;

  InnoDbDialect(String table, String ddl, String collation, String shareLock) {
    super(
        table,
        new CommonSql(
            table, "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', raised_at)", shareLock),
        new FenceSchema(
            table,
            ddl,
            DESCRIBE,
            "varchar " + collation,
            "varchar " + collation,
            "bigint",
            "datetime"),
        ROW,
        NOW);
    this.table = table;
    // Assigned from left to right: what decides is assigned last. A generation rises only with a
    // raise that wins.
    String wins =
        """
        (VALUES(generation) > generation OR VALUES(generation) = generation \
        AND VALUES(token) > token AND (origin = VALUES(origin)) IS NOT FALSE)""";
    this.upsert =
        """
        INSERT INTO %1$s (resource, generation, token, raise_id, origin, holder, raised_at)
        VALUES (?, ?, ?, ?, ?, ?, %2$s)
        ON DUPLICATE KEY UPDATE raise_id = IF(%3$s, VALUES(raise_id), raise_id),
          holder = IF(%3$s, VALUES(holder), holder),
          raised_at = IF(%3$s, VALUES(raised_at), raised_at),
          origin = IF(%3$s, IF(generation = VALUES(generation),
            COALESCE(origin, VALUES(origin)), VALUES(origin)), origin),
          token = IF(%3$s, VALUES(token), token),
          generation = GREATEST(generation, VALUES(generation))"""
            .formatted(table, NOW, wins);
  }

  /** A repetition after a lost answer changes nothing and finds its own raise. */
  final String upsert() {
    return upsert;
  }

  final String update() {
    return """
        UPDATE %s SET raise_id = ?, raised_at = %s
        WHERE resource = ? AND generation = ? AND token = ? AND raise_id = ?"""
        .formatted(table, NOW);
  }

  /** The row, and the raise id that a plain read of this transaction sees. */
  final String selectBoth() {
    return select(", (SELECT s.raise_id FROM " + table + " s WHERE s.resource = f.resource)");
  }

  @Override
  public Failure classify(SQLException failure) {
    return InnoDbErrors.classify(failure);
  }

  @Override
  public boolean endsTransaction(Connection connection, SQLException failure) {
    return InnoDbErrors.endsTransaction(failure)
        || (failure instanceof BatchUpdateException batch && failures(batch) != 1)
        || (failure.getErrorCode() == InnoDbErrors.LOCK_WAIT_TIMEOUT
            && isTrue(connection, "SELECT @@innodb_rollback_on_timeout"));
  }

  /** Of several the exception names one, and the driver has sent what follows them, too. */
  private static long failures(BatchUpdateException batch) {
    int[] counts = batch.getUpdateCounts();
    return counts == null
        ? 0
        : IntStream.of(counts).filter(n -> n == Statement.EXECUTE_FAILED).count();
  }

  /** Also true where the server cannot be asked. */
  static boolean isTrue(Connection connection, String query) {
    try (PreparedStatement statement = connection.prepareStatement(query);
        ResultSet results = statement.executeQuery()) {
      return !results.next() || results.getInt(1) != 0;
    } catch (SQLException e) {
      return true;
    }
  }

  @Override
  public boolean commitMayHaveHappened(Connection connection, SQLException failure) {
    return InnoDbErrors.commitMayHaveHappened(failure);
  }

  @Override
  public EndingStatement.Rules rules() {
    return EndingStatement.Rules.MYSQL;
  }

  @Override
  public String blockers(Connection connection, String resource) throws SQLException {
    List<String> open = list(connection, OPEN);
    return open.isEmpty()
        ? "No transaction is in the way any more; to look again: " + howToFindBlockers()
        : "These hold row locks, the oldest first, and one of them has the fence: "
            + String.join("; ", open)
            + ". End one with KILL and its number";
  }

  @Override
  public String howToFindBlockers() {
    return InnoDbErrors.HOW_TO_FIND_BLOCKERS;
  }

  @Override
  public List<String> schemaProblems(Connection connection) throws SQLException {
    List<String> problems = new ArrayList<>(super.schemaProblems(connection));
    problems.addAll(engineProblems(connection, table));
    problems.addAll(engineProblems(connection, CommonSql.operations(table)));
    return problems;
  }

  /** What is wrong with the engine of a table, empty if it is InnoDB. */
  static List<String> engineProblems(Connection connection, String name) throws SQLException {
    int dot = name.indexOf('.');
    String schema = dot < 0 ? "DATABASE()" : "'" + name.substring(0, dot) + "'"; // No quotes.
    return list(connection, ENGINE.formatted(name, schema, name.substring(dot + 1)));
  }

  private static final String ENGINE =
      """
      SELECT CONCAT('%s is kept by ', COALESCE(engine, table_type), ' and must be kept by InnoDB, \
      which has transactions') FROM information_schema.tables
      WHERE table_schema = %s AND table_name = '%s' AND COALESCE(engine, '') <> 'InnoDB'""";

  private static final String OPEN =
      """
      SELECT CONCAT('connection ', trx_mysql_thread_id, ' (', \
      IF(trx_query IS NULL, 'idle in transaction', 'active'), ', transaction open for ', \
      TIMESTAMPDIFF(SECOND, trx_started, NOW()), ' s)') FROM information_schema.innodb_trx
      WHERE trx_mysql_thread_id <> CONNECTION_ID() AND trx_lock_structs > 0
      ORDER BY trx_started LIMIT 5""";

  private static final String DESCRIBE =
      """
      SELECT c.column_name, IF(c.collation_name IS NULL, \
      REGEXP_REPLACE(c.column_type, '[(][0-9]+[)]', ''), \
      CONCAT(c.data_type, ' ', c.collation_name)),
        EXISTS (SELECT 1 FROM (SELECT table_schema, table_name, \
      GROUP_CONCAT(column_name ORDER BY column_name) AS columns FROM information_schema.statistics \
      WHERE non_unique = 0 AND sub_part IS NULL GROUP BY table_schema, table_name, index_name) k \
      WHERE k.table_schema = c.table_schema AND k.table_name = c.table_name AND k.columns = ?),
        c.character_maximum_length
      FROM information_schema.columns c JOIN (SELECT ? AS name) w
        ON c.table_name = SUBSTRING_INDEX(w.name, '.', -1) AND c.table_schema \
      = IF(LOCATE('.', w.name) > 0, SUBSTRING_INDEX(w.name, '.', 1), DATABASE())""";
}
