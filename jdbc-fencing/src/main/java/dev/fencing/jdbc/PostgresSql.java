package dev.fencing.jdbc;

/**
 * The statements of the fence on PostgreSQL. Those of one operation travel together, so that each
 * operation is one round trip; every setting is local to its transaction.
 */
final class PostgresSql {

  private static final String ROW =
      "generation, token, raise_id, coalesce(holder, 'an unnamed holder') || ' at ' || raised_at";

  /** A tighter limit that the role or the database already has is kept. */
  private static final String LIMIT_IDLE =
      """
      SELECT CASE WHEN current_setting('idle_in_transaction_session_timeout')::interval \
      NOT BETWEEN interval '1 microsecond' AND ?::interval \
      THEN set_config('idle_in_transaction_session_timeout', ?, true) END""";

  /** Never weakened: remote_apply stays. */
  private static final String DURABLE =
      """
      SELECT CASE WHEN current_setting('synchronous_commit') IN ('off', 'local', 'remote_write') \
      THEN set_config('synchronous_commit', 'on', true) END""";

  /** What is left of the bound after the wait for the gate, as the limit of the next wait. */
  private static final String LIMIT_ROW_WAIT =
      """
      SELECT set_config('lock_timeout', greatest(1, least(bound, bound \
      - extract(epoch FROM clock_timestamp() - now()) * 1000))::bigint::text, true) \
      FROM (VALUES (?::bigint)) AS v(bound)""";

  private static final String SESSIONS =
      """
      SELECT DISTINCT format('pid %s (%s, %s, transaction open for %s)', a.pid, a.usename,
        coalesce(a.state, 'state hidden'), date_trunc('second', clock_timestamp() - a.xact_start))
      FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
      WHERE l.granted AND l.pid <> pg_backend_pid()
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      """;

  static final String GATE_HOLDERS =
      SESSIONS
          + """
          AND l.locktype = 'advisory' AND l.objsubid = 1
          AND (l.classid::bigint << 32) | l.objid::bigint = hashtextextended(?, 0) LIMIT 5""";

  static final String TABLE_USERS =
      SESSIONS
          + """
          AND l.locktype = 'relation' AND l.relation = to_regclass(?)
          AND l.mode <> 'AccessShareLock' LIMIT 5""";

  final String raise;
  final String renew;
  final String check;

  PostgresSql(String table) {
    String select = "SELECT " + ROW + " FROM " + table + " WHERE resource = ?";
    String openExclusive =
        String.join(
            ";\n",
            "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
            LIMIT_IDLE,
            DURABLE,
            "SELECT set_config('lock_timeout', ?, true)",
            "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))",
            LIMIT_ROW_WAIT,
            "");
    // Of both, a repetition after a lost answer changes nothing and finds its own raise.
    this.raise =
        openExclusive
            + """
            INSERT INTO %s AS f (resource, generation, token, raise_id, holder, raised_at)
            VALUES (?, ?, ?, ?, ?, clock_timestamp())
            ON CONFLICT (resource) DO UPDATE SET generation = excluded.generation,
              token = excluded.token, raise_id = excluded.raise_id, holder = excluded.holder,
              raised_at = excluded.raised_at
            WHERE (f.generation, f.token) < (excluded.generation, excluded.token);
            """
                .formatted(table)
            + select;
    this.renew =
        openExclusive
            + """
            UPDATE %s SET raise_id = ?, raised_at = clock_timestamp()
            WHERE resource = ? AND generation = ? AND token = ? AND raise_id = ?;
            """
                .formatted(table)
            + select;
    this.check =
        String.join(
            ";\n",
            LIMIT_IDLE,
            "SELECT set_config('fencing.lock_timeout', current_setting('lock_timeout'), true)",
            "SELECT set_config('lock_timeout', ?, true)",
            "SELECT pg_advisory_xact_lock_shared(hashtextextended(?, 0))",
            select + " FOR SHARE",
            "SELECT set_config('lock_timeout', current_setting('fencing.lock_timeout'), true)");
  }
}
