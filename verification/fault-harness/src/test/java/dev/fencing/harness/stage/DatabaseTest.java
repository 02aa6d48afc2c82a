package dev.fencing.harness.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
}
