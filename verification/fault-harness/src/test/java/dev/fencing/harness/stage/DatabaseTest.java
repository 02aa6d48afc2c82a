package dev.fencing.harness.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.fixtures.Reaper;
import dev.fencing.harness.arm.Tables;
import dev.fencing.harness.history.Workload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("thorough")
class DatabaseTest {

  @Test
  void aDatabaseThatDoesNotComeBackIsReportedInTime(@TempDir Path parent) throws Exception {
    Path directory = Files.createDirectory(parent.resolve("stage"));
    Reaper reaper = Reaper.start(directory);
    try (Database database = Database.start(directory, Duration.ofSeconds(10))) {
      database.run("CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)");
      database.restart();
      assertThat(database.query("SELECT n FROM kept")).hasSize(1);

      Files.delete(directory.resolve("postgres/global/pg_control"));

      assertThatThrownBy(database::restart)
          .isInstanceOf(HarnessException.class)
          .hasMessageContaining("did not come back within 10 s")
          .hasMessageContaining("pg_control");
    } finally {
      reaper.close();
    }
    assertThat(directory).doesNotExist();
  }

  /** Otherwise a write that is applied again right behind itself would leave no trace. */
  @Test
  void whateverSetsTheAttemptIsLoggedAsAWriteAndNothingElse(@TempDir Path parent) throws Exception {
    Path directory = Files.createDirectory(parent.resolve("stage"));
    Reaper reaper = Reaper.start(directory);
    try (Database database = Database.start(directory, Database.BOUND)) {
      database.run(Tables.DDL + Tables.rows(Workload.COUNTER, "lock-0"));
      String write =
          "UPDATE guarded SET value = '1', op_id = 'a1', op_token = 33, op_read_ver = 0,"
              + " op_old = '0' WHERE key = 'lock-0'";

      database.run(write);
      database.run("UPDATE guarded SET fencing_token = 34, claim_id = 1");
      database.run(write);

      assertThat(database.query("SELECT op_id, ver FROM op_log ORDER BY ver"))
          .containsExactly(List.of("a1", "1"), List.of("a1", "2"));
    } finally {
      reaper.close();
    }
  }
}
