package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.jdbc.EndingStatement.Rules;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class EndingStatementTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "COMMIT",
        "commit and chain",
        "  -- why\n  End",
        "/* a /* nested */ one */ ABORT",
        "BEGIN",
        "START TRANSACTION",
        "ROLLBACK",
        "ROLLBACK AND CHAIN",
        "PREPARE TRANSACTION 'x'",
        "UPDATE t SET a = 1; COMMIT",
        "SELECT 'it''s; fine';COMMIT",
        "SELECT E'it\\'s; fine';COMMIT",
        "SELECT '\\';COMMIT",
        "SELECT $tag$ ; $$ ; $tag$; COMMIT",
        "SELECT a$b;COMMIT -- $b;"
      })
  void isFoundOnPostgres(String text) {
    assertThat(EndingStatement.refused(Rules.POSTGRESQL, text)).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ";",
        "SELECT 1;",
        "SELECT 'COMMIT; COMMIT'",
        "SELECT 1 -- ; COMMIT",
        "SELECT 1 /* ; COMMIT */",
        "DO $$ BEGIN PERFORM 1; END $$",
        "CREATE TABLE a (id int)",
        "ROLLBACK TO SAVEPOINT s",
        "ROLLBACK WORK TO s",
        "SAVEPOINT s",
        "PREPARE p AS SELECT 1",
        "INSERT INTO commit VALUES (1); SELECT 2",
        "{call f(?)}",
        "SELECT \"a;COMMIT\"",
        "SELECT E'it\\'s; COMMIT'"
      })
  void isNotFoundOnPostgresWhereThereIsNone(String text) {
    assertThat(EndingStatement.refused(Rules.POSTGRESQL, text)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "COMMIT",
        "# why\nALTER TABLE a ADD b int",
        "-- why\ndrop table a",
        "CREATE TABLE a (id int)",
        "CREATE OR REPLACE VIEW a AS SELECT 1",
        "/*!50001 CREATE TABLE a (id int) */",
        "/*M!100100 TRUNCATE a */",
        "RENAME TABLE a TO b",
        "LOCK TABLES a READ",
        "UNLOCK TABLES",
        "SET autocommit = 1",
        "SET @a = 'x', @@session.autocommit = ON",
        "SET PASSWORD = ''",
        "SET `autocommit` = 1",
        "SET @x = 1, @@session.`autocommit` = 1",
        "SET STATEMENT max_statement_time = 5 FOR SET `autocommit` = 1",
        "SET sql_mode = 'NO_BACKSLASH_ESCAPES'",
        "@x",
        "SET STATEMENT max_statement_time = 1 FOR CREATE TABLE a (id int)",
        "EXECUTE IMMEDIATE 'COMMIT'",
        "BEGIN NOT ATOMIC COMMIT; END",
        "FLUSH TABLES",
        "ANALYZE TABLE a",
        "LOAD INDEX INTO CACHE a",
        "GRANT SELECT ON a TO b",
        "XA START 'a'",
        "SELECT 'it\\'s; fine';COMMIT",
        "SELECT 5--1;COMMIT",
        "SELECT `;`;COMMIT"
      })
  void isFoundOnMySql(String text) {
    assertThat(EndingStatement.refused(Rules.MYSQL, text)).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "SELECT 1",
        "(SELECT 1) UNION (SELECT 2)",
        "WITH a AS (SELECT 1) SELECT * FROM a",
        "REPLACE INTO a VALUES (1)",
        "CREATE TEMPORARY TABLE a (id int)",
        "DROP TEMPORARY TABLE a",
        "SET @a = 'x'",
        "SET STATEMENT max_statement_time = 1 FOR SELECT 1",
        "ROLLBACK TO s",
        "{ call p(?) }",
        "{?= call f(?)}",
        "INSERT INTO a VALUES ('; COMMIT', \"; COMMIT\", `; COMMIT`)",
        "SELECT 1 # ; COMMIT",
        "LOAD DATA INFILE 'a' INTO TABLE a"
      })
  void isNotFoundOnMySqlWhereThereIsNone(String text) {
    assertThat(EndingStatement.refused(Rules.MYSQL, text)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE a (id int)",
        "SET AUTOCOMMIT TRUE",
        "SCRIPT",
        "ANALYZE",
        "SHUTDOWN",
        "// why\nCOMMIT",
        "SELECT 1 // it's\n; COMMIT"
      })
  void isFoundOnH2(String text) {
    assertThat(EndingStatement.refused(Rules.H2, text)).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"MERGE INTO a KEY (id) VALUES (1)", "SET @a = 1", "SET LOCK_TIMEOUT 5", "CALL 1"})
  void isNotFoundOnH2WhereThereIsNone(String text) {
    assertThat(EndingStatement.refused(Rules.H2, text)).isNull();
  }

  @ParameterizedTest
  @EnumSource
  void whateverIsNotClosedComesToAnEnd(Rules rules) {
    for (String text :
        new String[] {"'", "\"", "/*", "$$", "--", "SET ", "SET '", "(", "/*!", "E'\\"}) {
      EndingStatement.refused(rules, ";" + text);
      EndingStatement.refused(rules, text);
    }
  }
}
