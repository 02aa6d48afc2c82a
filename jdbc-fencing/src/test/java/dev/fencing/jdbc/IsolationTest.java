package dev.fencing.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fencing.fixtures.MariaDbServer;
import dev.fencing.fixtures.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** All levels that each database has. */
class IsolationTest {

  private static final String CHARACTERISTICS =
      "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL ";

  @Nested
  class OnPostgres extends IsolationContract {
    @Override
    DataSource dataSource() {
      return PostgresServer.shared().dataSource();
    }

    @Override
    String setLevel() {
      return CHARACTERISTICS;
    }

    @Override
    Set<String> refused() {
      return Set.of("REPEATABLE READ", "SERIALIZABLE");
    }

    @Override
    Set<String> refusedInRowMode() {
      return Set.of("REPEATABLE READ", "SERIALIZABLE");
    }
  }

  @Nested
  class OnMariaDb extends OnInnoDb {
    @BeforeAll
    static void needsTheServer() {
      assumeTrue(MariaDbServer.shared().isPresent(), "no MariaDB for this kind of machine");
    }

    @Override
    DataSource dataSource() {
      return MariaDbServer.shared().orElseThrow().dataSource();
    }
  }

  abstract static class OnInnoDb extends IsolationContract {
    @Override
    String setLevel() {
      return "SET SESSION TRANSACTION ISOLATION LEVEL ";
    }

    @Override
    String firstRead(String level) {
      return level.equals("SERIALIZABLE") ? "SELECT count(*) FROM journal" : super.firstRead(level);
    }

    @Override
    Set<String> refused() {
      return Set.of("REPEATABLE READ");
    }

    @Override
    Set<String> refusedInRowMode() {
      return Set.of();
    }
  }

  @Nested
  class OnH2 extends IsolationContract {
    @Override
    List<String> levels() {
      List<String> levels = new ArrayList<>(super.levels());
      levels.add("SNAPSHOT");
      return levels;
    }

    @Override
    DataSource dataSource() {
      return H2ContractTest.inMemory();
    }

    @Override
    String setLevel() {
      return CHARACTERISTICS;
    }

    @Override
    Set<String> refused() {
      return Set.of("REPEATABLE READ", "SERIALIZABLE", "SNAPSHOT");
    }

    @Override
    Set<String> refusedInRowMode() {
      return Set.of("REPEATABLE READ", "SERIALIZABLE", "SNAPSHOT");
    }
  }
}
