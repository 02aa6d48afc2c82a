package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.jdbc.Dialect.Failure;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Both modes take an error of the database for the same. */
class ErrorsTest {

  @ParameterizedTest
  @CsvSource({
    "1205, HY000, LOCK_TIMEOUT",
    "1969, 70100, LOCK_TIMEOUT",
    "3024, HY000, LOCK_TIMEOUT",
    "1317, 70100, LOCK_TIMEOUT",
    "3572, HY000, LOCK_TIMEOUT",
    "1213, 40001, RETRY",
    "1020, HY000, RETRY",
    "1206, HY000, RETRY",
    "1927, 70100, CONNECTION",
    "4031, HY000, CONNECTION",
    "1053, 08S01, CONNECTION",
    "1062, 23000, OTHER",
  })
  void onMySqlAndMariaDb(int code, String state, Failure meaning) {
    SQLException failure = new SQLException("an error", state, code);
    assertThat(RowSql.of(Database.MYSQL).classify(failure)).isEqualTo(meaning);
    assertThat(RowSql.of(Database.MARIADB).classify(failure)).isEqualTo(meaning);
    assertThat(new MySqlDialect("fence").classify(failure)).isEqualTo(meaning);
    assertThat(new MariaDbDialect("fence").classify(failure)).isEqualTo(meaning);
  }

  @ParameterizedTest
  @CsvSource({
    "55P03, ERROR: canceling statement due to lock timeout, LOCK_TIMEOUT",
    "40001, ERROR: could not serialize access, RETRY",
    "57P01, FATAL: terminating connection, CONNECTION",
    "08006, An I/O error occurred, CONNECTION",
    "08P01, FATAL: server conn crashed?, CONNECTION", // of PgBouncer
    "08P01, FATAL: query_wait_timeout, CONNECTION", // of PgBouncer
    "08P01, ERROR: bind message supplies 1 parameters, OTHER",
  })
  void onPostgres(String state, String message, Failure meaning) {
    SQLException failure = new SQLException(message, state);
    assertThat(RowSql.of(Database.POSTGRESQL).classify(failure)).isEqualTo(meaning);
    assertThat(new PostgresDialect("fence", Duration.ofSeconds(10)).classify(failure))
        .isEqualTo(meaning);
  }

  @ParameterizedTest
  @CsvSource({
    "50200, HYT00, LOCK_TIMEOUT",
    "57014, 57014, LOCK_TIMEOUT",
    "40001, 40001, RETRY",
    "90131, 90131, RETRY",
    "90007, 90007, CONNECTION",
    "90020, 90020, CONNECTION",
    "90067, 90067, CONNECTION",
    "90121, 90121, CONNECTION",
    "42102, 42S02, OTHER",
  })
  void onH2(int code, String state, Failure meaning) {
    SQLException failure = new SQLException("an error", state, code);
    assertThat(RowSql.of(Database.H2).classify(failure)).isEqualTo(meaning);
    assertThat(new H2Dialect("fence").classify(failure)).isEqualTo(meaning);
  }

  /** A raise that meets another's first one tries again; a user's unique constraint stays. */
  @ParameterizedTest
  @CsvSource({"23505, 23505"})
  void aDuplicateOnH2IsTriedAgainByTheFenceAlone(int code, String state) {
    SQLException failure = new SQLException("an error", state, code);
    assertThat(RowSql.of(Database.H2).classify(failure)).isEqualTo(Failure.OTHER);
    assertThat(new H2Dialect("fence").classify(failure)).isEqualTo(Failure.RETRY);
  }

  @ParameterizedTest
  @CsvSource({
    "MARIADB, 1927, 70100, true", // killed
    "MARIADB, 1969, 70100, true", // the time of the statement
    "MARIADB, 1180, HY000, true", // during COMMIT
    "MARIADB, 1598, HY000, true", // the binary log
    "MYSQL, 4031, HY000, true", // idle for too long
    "MYSQL, 3024, HY000, true", // the time of the statement
    "MYSQL, 1053, 08S01, true", // shutdown
    "MYSQL, 1213, 40001, false",
    "MYSQL, 1062, 23000, false",
    "MYSQL, 0, 08003, false", // closed before
    "H2, 90067, 90067, true",
    "H2, 90007, 90007, false", // closed before
    "H2, 90131, 90131, true",
    "H2, 40001, 40001, false",
  })
  void aCommitIsUnknownInBothModesUnlessTheErrorSaysThatItWasRolledBack(
      Database database, int code, String state, boolean unknown) throws SQLException {
    SQLException failure = new SQLException("an error", state, code);
    Dialect dialect =
        switch (database) {
          case MARIADB -> new MariaDbDialect("fence");
          case MYSQL -> new MySqlDialect("fence");
          default -> new H2Dialect("fence");
        };
    try (Connection connection = H2ContractTest.inMemory().getConnection()) {
      assertThat(RowSql.of(database).commitMayHaveHappened(connection, failure)).isEqualTo(unknown);
      assertThat(dialect.commitMayHaveHappened(connection, failure)).isEqualTo(unknown);
    }
  }
}
