package dev.fencing.jdbc.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.fixtures.PostgresServer;
import dev.fencing.jdbc.FenceMissingException;
import dev.fencing.jdbc.FencedResource;
import dev.fencing.jdbc.FencingException;
import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.StaleTokenException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FenceMetricsTest {

  private final DataSource dataSource = PostgresServer.shared().dataSource();
  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final JdbcFence fence =
      JdbcFence.builder(dataSource)
          .table("metrics_fence")
          .listener(new FenceMetrics(registry, name -> name.replaceAll("/.*", "")))
          .build();

  @BeforeEach
  void createSchema() {
    fence.createSchema();
  }

  @AfterEach
  void drop() throws SQLException {
    run("DROP TABLE metrics_fence, metrics_fence_operation");
  }

  @Test
  void decisionsAreCountedByTheShortenedNameOfTheResource() throws SQLException {
    FencedResource old = fence.raise("account/1", 33);
    assertThat(old.<Integer, FencingException>inTransaction(c -> 0)).isZero();
    FencedResource current = fence.raise("account/1", 34, "/locks/1");
    assertThatThrownBy(() -> old.inTransaction(c -> 0)).isInstanceOf(StaleTokenException.class);
    assertThatThrownBy(() -> fence.raise("account/1", 35, "/locks/2"))
        .isInstanceOf(FencingException.class);
    run("DELETE FROM metrics_fence");
    assertThatThrownBy(() -> current.inTransaction(c -> 0))
        .isInstanceOf(FenceMissingException.class);

    assertThat(registry.get("fencing.raise").tag("resource", "account").timer().count())
        .isEqualTo(2);
    assertThat(registry.get("fencing.raise").timer().totalTime(TimeUnit.NANOSECONDS)).isPositive();
    assertThat(registry.get("fencing.accepted").counter().count()).isEqualTo(1);
    for (String reason : new String[] {"stale", "origin", "missing"}) {
      assertThat(
              registry
                  .get("fencing.refused")
                  .tags("resource", "account", "reason", reason, "observed", "false")
                  .counter()
                  .count())
          .as(reason)
          .isEqualTo(1);
    }
    assertThat(registry.find("fencing.unknown").counter()).isNull();
  }

  private void run(String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
