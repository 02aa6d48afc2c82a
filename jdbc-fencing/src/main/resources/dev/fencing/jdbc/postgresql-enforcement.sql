-- Enforcement for dev.fencing:jdbc-fencing on PostgreSQL 15 and later: the database itself refuses a
-- write to a declared table by a transaction that has not passed the check of its resource. Optional;
-- against mistakes, not malice: whoever may alter the table or make settings up can get around it.
--
-- Run it after the DDL of the guard table, in the same schema; running it again is harmless. For a
-- guard table of another name, replace the fence of 'fence' and of every fence_ with that name, the
-- schema in front included: PostgresEnforcement.ddl(name) does.
--
--   SELECT fence_guard_table('account', 'ledger');   declares, or changes, what guards a table
--   SELECT fence_unguard_table('account');           takes it back
--
-- Both need the owner of the table. The application's role needs nothing more than before. The library
-- passes the check in inTransaction and check(connection); a person does it on purpose, with the token
-- that the guard table shows, and keeps the next holder waiting until the COMMIT:
--
--   BEGIN; SELECT fence_pass('ledger', 33); UPDATE account ...; COMMIT;
--
-- Not to be declared: a table in row mode, which has a fence of its own and passes no check, and what
-- a resource guards that is only observed.
--
-- Covered: INSERT, UPDATE, DELETE, MERGE, COPY and TRUNCATE, through views and cascades too, on every
-- partition, those that are created or attached later included. Not covered: TRUNCATE of a single
-- partition that came later, until fence_guard_table is called again for the parent; children by
-- INHERITS, to be declared one by one; a partition once it is detached; DDL; and what runs with
-- session_replication_role = replica, as the apply of logical replication does.

-- Called for a refused write only: the triggers look at the mark themselves, in their WHEN.
CREATE OR REPLACE FUNCTION fence_refuse_write() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  mark   text := coalesce(current_setting('fencing.passed', true), '');
  passed text;
BEGIN
  SELECT string_agg(m[1], ', ') INTO passed
  FROM regexp_matches(
    mark, '[[]' || pg_current_xact_id_if_assigned()::text || ':[0-9]+:([^]]*)[]]', 'g') AS m;
  RAISE EXCEPTION USING
    ERRCODE = 'FEN02',
    SCHEMA = TG_TABLE_SCHEMA,
    TABLE = TG_TABLE_NAME,
    MESSAGE = format(
      '%s on table %s refused: resource "%s" guards it, and this transaction has not passed the check of that resource',
      TG_OP, TG_RELID::regclass, TG_ARGV[0]),
    DETAIL = CASE
      WHEN passed IS NOT NULL THEN 'It has passed the check of ' || passed || ' only.'
      WHEN mark <> '' THEN 'A check was passed in an earlier transaction of this session, which has ended.'
      ELSE 'It has passed no check, or has rolled back to a savepoint that was set before the check.' END,
    HINT = format(
      'In an application: write inside FencedResource.inTransaction, or call check(connection) in the same transaction first. By hand: BEGIN; SELECT fence_pass(%L, token); then the write; COMMIT; the guard table shows the token.',
      TG_ARGV[0]);
END $$;

-- The defaults of the arguments that a caller leaves out are bound when this file is run, so that no
-- search_path matters later.
CREATE OR REPLACE FUNCTION fence_guard_table(
  target regclass,
  resource text,
  guard regclass DEFAULT 'fence'::regclass,
  refusal regproc DEFAULT 'fence_refuse_write'::regproc)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  relative regclass;
  unpassed text := format(
    $when$(strpos(current_setting('fencing.passed', true),
      '[' || pg_current_xact_id_if_assigned()::text
      || (':' || %L::regclass::oid::text || ':' || %L || ']')) > 0) IS NOT TRUE$when$,
    guard, quote_literal(resource));
BEGIN
  IF resource IS NULL OR length(resource) NOT BETWEEN 1 AND 255 THEN
    RAISE EXCEPTION USING ERRCODE = '22023',
      MESSAGE = format('the name of a resource has 1 to 255 characters, but this one has %s',
        coalesce(length(resource), 0));
  ELSIF target = guard THEN
    RAISE EXCEPTION USING ERRCODE = '42809',
      MESSAGE = format('%s is the guard table: guarded by itself it could never be raised', target);
  ELSIF (SELECT relkind FROM pg_class WHERE oid = target) NOT IN ('r', 'p') THEN
    RAISE EXCEPTION USING ERRCODE = '42809',
      MESSAGE = format('%s is not a table: declare the tables beneath it', target);
  END IF;
  SELECT t.tgrelid INTO relative
  FROM pg_trigger t
  WHERE t.tgname = 'guarded_by_fence' AND t.tgparentid = 0 AND t.tgrelid <> target
    AND (t.tgrelid IN (SELECT relid FROM pg_partition_tree(target))
      OR t.tgrelid IN (SELECT relid FROM pg_partition_ancestors(target)));
  IF relative IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = '42710',
      MESSAGE = format('%s cannot be declared beside %s, which is declared and of the same partitioned table',
        target, relative),
      HINT = 'Take that declaration back first.';
  END IF;
  EXECUTE format(
    'CREATE OR REPLACE TRIGGER guarded_by_fence BEFORE INSERT OR UPDATE OR DELETE ON %s'
    ' FOR EACH ROW WHEN (%s) EXECUTE FUNCTION %s(%L)',
    target, unpassed, refusal, resource);
  -- Partitions get copies of a row trigger by themselves, those that come later as well; of a
  -- TRUNCATE trigger they do not.
  FOR relative IN SELECT target UNION SELECT relid FROM pg_partition_tree(target) LOOP
    EXECUTE format(
      'CREATE OR REPLACE TRIGGER guarded_by_fence_truncate BEFORE TRUNCATE ON %s'
      ' FOR EACH STATEMENT WHEN (%s) EXECUTE FUNCTION %s(%L)',
      relative, unpassed, refusal, resource);
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION fence_unguard_table(target regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  relative regclass;
BEGIN
  EXECUTE format('DROP TRIGGER IF EXISTS guarded_by_fence ON %s', target);
  FOR relative IN SELECT target UNION SELECT relid FROM pg_partition_tree(target) LOOP
    EXECUTE format('DROP TRIGGER IF EXISTS guarded_by_fence_truncate ON %s', relative);
  END LOOP;
END $$;

-- The check of the library for a person: the same locks, the same mark, by token alone.
CREATE OR REPLACE FUNCTION fence_pass(
  resource text, token bigint, guard regclass DEFAULT 'fence'::regclass)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  stored record;
  pass   text;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('fence:' || resource, 0));
  EXECUTE format('SELECT token, holder, raised_at FROM %s WHERE resource = $1 FOR SHARE', guard)
    INTO stored USING resource;
  IF stored.token IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'FEN01',
      MESSAGE = format('resource "%s" has never been raised in %s', resource, guard);
  ELSIF stored.token IS DISTINCT FROM token THEN
    RAISE EXCEPTION USING ERRCODE = 'FEN01',
      MESSAGE = format('stale token for resource "%s": presented %s, but the fence is at %s, raised by %s at %s',
        resource, coalesce(token::text, 'none'), stored.token,
        coalesce(stored.holder, 'an unnamed holder'), stored.raised_at);
  END IF;
  pass := format('[%s:%s:%s]', pg_current_xact_id(), guard::oid, quote_literal(resource));
  PERFORM set_config('fencing.passed',
    pass || replace(coalesce(current_setting('fencing.passed', true), ''), pass, ''), true);
END $$;
