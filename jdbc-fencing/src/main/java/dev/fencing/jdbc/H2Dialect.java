package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The fence on H2.
 *
 * <p>H2 has no shared row lock, so the transactions of one holder take turns; and its waiters have
 * no queue, so a raise beside many of them takes its chance.
 */
final class H2Dialect extends RowLockDialect {

  private static final String ROW =
      "generation, token, raise_id, origin,"
          + " COALESCE(holder, 'an unnamed holder') || ' at ' || raised_at";

  private static final String NOW = "CURRENT_TIMESTAMP";

  private static final int DUPLICATE = 23505;
  private static final int DEADLOCK = 40001;

  private final String raise;
  private final String renew;

  H2Dialect(String table) {
    super(
        table,
        new CommonSql(table, CommonSql.EPOCH, " FOR UPDATE"),
        new FenceSchema(
            table,
            "h2.sql",
            DESCRIBE,
            "CHARACTER VARYING",
            "CHARACTER VARYING",
            "BIGINT",
            "TIMESTAMP WITH TIME ZONE"),
        ROW,
        NOW);
    this.raise =
        """
        MERGE INTO %1$s f USING (VALUES (CAST(? AS VARCHAR), CAST(? AS BIGINT), CAST(? AS BIGINT),
          CAST(? AS BIGINT), CAST(? AS VARCHAR), CAST(? AS VARCHAR)))
          n (resource, generation, token, raise_id, origin, holder) ON f.resource = n.resource
        WHEN MATCHED AND (f.generation < n.generation OR f.generation = n.generation
            AND f.token < n.token AND (f.origin = n.origin) IS NOT FALSE)
          THEN UPDATE SET generation = n.generation, token = n.token, raise_id = n.raise_id,
            holder = n.holder, raised_at = %2$s,
            origin = CASE WHEN f.generation = n.generation
              THEN COALESCE(f.origin, n.origin) ELSE n.origin END
        WHEN NOT MATCHED
          THEN INSERT (resource, generation, token, raise_id, origin, holder, raised_at)
            VALUES (n.resource, n.generation, n.token, n.raise_id, n.origin, n.holder, %2$s)"""
            .formatted(table, NOW);
    this.renew =
        """
        UPDATE %s SET raise_id = ?, raised_at = %s
        WHERE resource = ? AND generation = ? AND token = ? AND raise_id = ?"""
            .formatted(table, NOW);
  }

  private static String within(Duration bound, String select) {
    return select + " FOR UPDATE WAIT " + seconds(bound);
  }

  @Override
  void lock(Connection connection, String resource, Duration bound) throws SQLException {
    query(connection, within(bound, select("")), resource);
  }

  @Override
  String raiseSql(Duration bound) {
    return raise;
  }

  @Override
  String renewSql(Duration bound) {
    return renew;
  }

  /** Where a snapshot is older than the row, H2 itself refuses to lock the row. */
  @Override
  String checkSql(Duration bound) {
    return within(bound, select(", raise_id"));
  }

  /** At other levels the snapshot is one of all tables, if there is one. */
  @Override
  public void requireJoinable(Connection connection) throws SQLException {
    if (connection.getTransactionIsolation() == Connection.TRANSACTION_REPEATABLE_READ) {
      throw new SQLException(
          "H2 at REPEATABLE READ takes the snapshot of a table when it is first read, so that a check cannot see whether the transaction has read something before the raise. Use inTransaction, or another level",
          "25001");
    }
  }

  @Override
  public Failure classify(SQLException failure) {
    // Another raise has created the row meanwhile: the next try finds it.
    return failure.getErrorCode() == DUPLICATE ? Failure.RETRY : H2Errors.classify(failure);
  }

  @Override
  public boolean endsTransaction(Connection connection, SQLException failure) {
    return failure.getErrorCode() == DEADLOCK || classify(failure) == Failure.CONNECTION;
  }

  @Override
  public boolean commitMayHaveHappened(Connection connection, SQLException failure) {
    return H2Errors.commitMayHaveHappened(failure);
  }

  @Override
  public EndingStatement.Rules rules() {
    return EndingStatement.Rules.H2;
  }

  @Override
  public String blockers(Connection connection, String resource) throws SQLException {
    List<String> open = list(connection, OPEN);
    return open.isEmpty()
        ? "No session is in the way any more; to look again: " + howToFindBlockers()
        : "These have uncommitted changes or row locks, and one of them has the fence: "
            + String.join("; ", open)
            + ". End one with CALL ABORT_SESSION(number)";
  }

  @Override
  public String howToFindBlockers() {
    return H2Errors.HOW_TO_FIND_BLOCKERS;
  }

  @Override
  public List<String> schemaProblems(Connection connection) throws SQLException {
    List<String> problems = new ArrayList<>(super.schemaProblems(connection));
    problems.addAll(list(connection, COLLATION));
    return problems;
  }

  private static final String OPEN =
      """
      SELECT 'session ' || session_id || ' (' || user_name || ', ' || session_state || ')'
      FROM INFORMATION_SCHEMA.SESSIONS
      WHERE contains_uncommitted AND session_id <> SESSION_ID() ORDER BY session_start LIMIT 5""";

  private static final String COLLATION =
      """
      SELECT 'the collation of the database takes different names for the same, and must be OFF'
      FROM (VALUES (1)) WHERE CAST('a' AS VARCHAR) IN ('A', 'ä', 'a ')""";

  private static final String DESCRIBE =
      """
      SELECT c.column_name, c.data_type,
        EXISTS (SELECT 1 FROM INFORMATION_SCHEMA.INDEXES i
          WHERE i.table_schema = c.table_schema AND i.table_name = c.table_name
          AND i.index_type_name IN ('PRIMARY KEY', 'UNIQUE INDEX')
          AND (SELECT LISTAGG(LOWER(k.column_name), ',') WITHIN GROUP (ORDER BY k.column_name)
            FROM INFORMATION_SCHEMA.INDEX_COLUMNS k
            WHERE k.index_schema = i.index_schema AND k.index_name = i.index_name) = ?),
        c.character_maximum_length
      FROM INFORMATION_SCHEMA.COLUMNS c JOIN (SELECT CAST(? AS VARCHAR) AS name) w
        ON LOWER(c.table_name) = REGEXP_REPLACE(w.name, '.*[.]', '')
        AND LOWER(c.table_schema) = CASE WHEN LOCATE('.', w.name) > 0
          THEN REGEXP_REPLACE(w.name, '[.].*', '') ELSE LOWER(CURRENT_SCHEMA) END""";
}
