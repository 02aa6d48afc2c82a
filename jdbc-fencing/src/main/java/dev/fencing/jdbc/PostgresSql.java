package dev.fencing.jdbc;

/**
 * The statements of the fence on PostgreSQL. Those of one operation travel together, so that each
 * operation is one round trip; every setting is local to its transaction.
 */
final class PostgresSql {

  private static final String ROW =
      """
      generation, token, raise_id, origin, \
      coalesce(holder, 'an unnamed holder') || ' at ' || raised_at""";

  /** A tighter limit that the role or the database already has is kept; most have none. */
  private static final String LIMIT_IDLE =
      """
      CASE WHEN current_setting('idle_in_transaction_session_timeout') = '0' \
      OR current_setting('idle_in_transaction_session_timeout')::interval > ?::interval \
      THEN set_config('idle_in_transaction_session_timeout', ?, true) END""";

  /** Never weakened: remote_apply stays. */
  private static final String DURABLE =
      """
      CASE WHEN current_setting('synchronous_commit') IN ('off', 'local', 'remote_write') \
      THEN set_config('synchronous_commit', 'on', true) END""";

  /** Columns are computed from left to right, so the limit holds for the lock behind it. */
  private static final String LIMIT_WAIT = "set_config('lock_timeout', ?, true)";

  /** What is left of the bound after the wait for the gate, as the limit of the next wait. */
  private static final String LIMIT_ROW_WAIT =
      """
      SELECT set_config('lock_timeout', greatest(1, least(bound, bound \
      - extract(epoch FROM clock_timestamp() - now()) * 1000))::bigint::text, true) \
      FROM (VALUES (?::bigint)) AS v(bound)""";

  /** What stands in the mark of a transaction that has passed the check of a fence. */
  private static final String PASS =
      "format('[%s:%s:%s]', pg_current_xact_id(), tableoid, quote_literal(resource)) AS pass";

  /** Tells the triggers of the enforcement, should there be some, that a check was passed. */
  private static final String MARK =
      """
      CASE WHEN (generation, token, raise_id) = (?, ?, ?) THEN set_config('fencing.passed', \
      pass || replace(coalesce(current_setting('fencing.passed', true), ''), pass, ''), true)""";

  /**
   * Locks gate and row if nobody is in the way, and gives no row if somebody is. The row is looked
   * for with what the gate gives, so the gate comes first. What a sub-select locks is current, or
   * fails at REPEATABLE READ, however old the statement's own snapshot is.
   */
  private static final String LOCK_AT_ONCE =
      """
      (SELECT generation, token, raise_id, %s FROM %s WHERE resource = \
      (SELECT CASE WHEN pg_try_advisory_xact_lock_shared(hashtextextended(?, 0)) THEN ? END) \
      FOR SHARE SKIP LOCKED) AS f""";

  /** The same with a wait for both, in a queue that is fair. */
  private static final String LOCK_IN_TURN =
      """
      WITH gate AS MATERIALIZED (SELECT current_setting('lock_timeout') AS before, %s, %s, \
      pg_advisory_xact_lock_shared(hashtextextended(?, 0)), ?::text AS name) \
      SELECT generation, token, raise_id, origin, raised_by, \
      %s END, set_config('lock_timeout', before, true) \
      FROM gate, LATERAL (SELECT %s AS raised_by, %s FROM %s WHERE resource = gate.name \
      FOR SHARE) AS f""";

  /** What the error of a refused {@link #update} begins with. */
  static final String REFUSED = "the fencing token was refused: ";

  /** See {@link FenceSchema}; a length counts its own four bytes, too. */
  private static final String DESCRIBE =
      """
      SELECT a.attname, format_type(a.atttypid, NULL),
        EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique
          AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL
          AND (SELECT string_agg(k.attname, ',' ORDER BY k.attname) FROM pg_attribute k
            WHERE k.attrelid = i.indrelid AND k.attnum = ANY (i.indkey)) = ?),
        CASE WHEN a.atttypmod > 4 THEN a.atttypmod - 4 END
      FROM pg_attribute a
      WHERE a.attrelid = to_regclass(?) AND a.attnum > 0 AND NOT a.attisdropped""";

  final String raise;
  final String renew;
  final String checkAtOnce;
  final String checkInTurn;
  final String read;
  final String recordOperation;

  private final String beforeUpdate;

  PostgresSql(String table) {
    this.read = "SELECT " + ROW + " FROM " + table + " WHERE resource = ?";
    String openExclusive =
        String.join(
            ";\n",
            "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
            "SELECT "
                + String.join(
                    ", ",
                    LIMIT_IDLE,
                    DURABLE,
                    LIMIT_WAIT,
                    "pg_advisory_xact_lock(hashtextextended(?, 0))"),
            LIMIT_ROW_WAIT,
            "");
    // Of both, a repetition after a lost answer changes nothing and finds its own raise.
    this.raise =
        openExclusive
            + """
            INSERT INTO %s AS f (resource, generation, token, raise_id, origin, holder, raised_at)
            VALUES (?, ?, ?, ?, ?, ?, clock_timestamp())
            ON CONFLICT (resource) DO UPDATE SET generation = excluded.generation,
              token = excluded.token, raise_id = excluded.raise_id, holder = excluded.holder,
              raised_at = excluded.raised_at,
              origin = CASE WHEN f.generation = excluded.generation
                THEN coalesce(f.origin, excluded.origin) ELSE excluded.origin END
            WHERE f.generation < excluded.generation
              OR f.generation = excluded.generation AND f.token < excluded.token
                AND (f.origin = excluded.origin) IS NOT FALSE;
            """
                .formatted(table)
            + read;
    this.renew =
        openExclusive
            + """
            UPDATE %s SET raise_id = ?, raised_at = clock_timestamp()
            WHERE resource = ? AND generation = ? AND token = ? AND raise_id = ?;
            """
                .formatted(table)
            + read;
    String atOnce = LOCK_AT_ONCE.formatted(PASS, table);
    this.checkAtOnce =
        "SELECT %s END, %s, generation, token, raise_id FROM %s"
            .formatted(MARK, LIMIT_IDLE, atOnce);
    this.checkInTurn = LOCK_IN_TURN.formatted(LIMIT_IDLE, LIMIT_WAIT, MARK, ROW, PASS, table);
    // The cast fails, with the text in its message. It is no constant, so nobody tries it before.
    this.beforeUpdate =
        "BEGIN ISOLATION LEVEL READ COMMITTED;\nSELECT %s ELSE ('%s' || pg_backend_pid())::int::text END, %s FROM (SELECT) AS one LEFT JOIN %s ON true;\n"
            .formatted(MARK, REFUSED, LIMIT_IDLE, atOnce);
    this.recordOperation =
        """
        INSERT INTO %s (resource, operation_id, generation, token, applied_at)
        VALUES (?, ?, ?, ?, clock_timestamp()) ON CONFLICT DO NOTHING"""
            .formatted(CommonSql.operations(table));
  }

  static FenceSchema schema(String table) {
    return new FenceSchema(
        table,
        "postgresql.sql",
        DESCRIBE,
        "character varying",
        "character varying",
        "bigint",
        "timestamp with time zone");
  }

  /** A transaction of its own; the commit is sent with the rest, and skipped if that fails. */
  String update(String statement) {
    return beforeUpdate + statement + "\n;COMMIT";
  }
}
