package dev.fencing.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.fencing.fixtures.PostgresServer;
import dev.fencing.fixtures.TcpProxy;
import dev.fencing.jdbc.FenceBusyException;
import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.LeaseUnavailableException;
import dev.fencing.jdbc.StaleTokenException;
import dev.fencing.jdbc.UnknownOutcomeException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Objects;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.transaction.support.TransactionTemplate;

/** Health, meters and the endpoint. */
class ActuatorTest extends SpringTest {

  private static ApplicationContextRunner application() {
    return Boot.application()
        .withConfiguration(
            AutoConfigurations.of(
                FencingActuatorAutoConfiguration.class, FencingMetricsAutoConfiguration.class))
        .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
        .withPropertyValues("management.endpoints.web.exposure.include=fencing");
  }

  /** The indicator is a class of the one or the other line of Boot. */
  private static String status(BeanFactory context) {
    Object health =
        ReflectionTestUtils.invokeMethod(context.getBean("fencingHealthIndicator"), "health");
    Object status = ReflectionTestUtils.invokeMethod(health, "getStatus");
    return String.valueOf(status);
  }

  private static FencingHealth.Report report(BeanFactory context) {
    return context.getBean(FencingHealth.class).report();
  }

  @Test
  void allIsWell() {
    application()
        .run(
            context -> {
              assertThat(status(context)).isEqualTo("UP");
              assertThat(report(context).details())
                  .containsEntry("zookeeper", "connected")
                  .containsEntry("guardTable", "readable");
            });
  }

  @Test
  void anUnreachableZooKeeperAndAMissingGuardTableAreDown() {
    Servers.dropGuardTable();
    application()
        .withPropertyValues(
            "fencing.curator.lazy=true",
            "fencing.curator.connect-string=127.0.0.1:1",
            "fencing.jdbc.schema=none")
        .run(
            context -> {
              assertThat(status(context)).isEqualTo("DOWN");
              assertThat(report(context).problems())
                  .hasSize(2)
                  .anySatisfy(p -> assertThat(p).contains("127.0.0.1:1"))
                  .anySatisfy(p -> assertThat(p).contains("fencing.jdbc.schema=create"));
            });
  }

  @Test
  void tokensThatHaveStartedAgainAreDownWithTheRemedyUntilTheyAreAccepted() {
    long rebuilt = 0x1000_0000_0000L;
    application()
        .run(
            context -> {
              FencedTemplate template = context.getBean(FencedTemplate.class);
              // What was left by the ensemble that is gone.
              context.getBean(JdbcFence.class).raise("ledger", rebuilt, "/fencing/ledger");
              assertThatThrownBy(() -> template.run("ledger", hold -> 0))
                  .isInstanceOf(StaleTokenException.class);
              assertThat(status(context)).isEqualTo("DOWN");
              assertThat(report(context).problems())
                  .singleElement()
                  .asString()
                  .contains("/fencing/ledger")
                  .contains(Long.toString(rebuilt))
                  .contains("raise fencing.jdbc.generation to 1");
              Servers.SQL.update("UPDATE fence SET token = 1 WHERE resource = 'ledger'");
              template.run("ledger", hold -> 0);
              assertThat(status(context)).isEqualTo("UP");
            });
  }

  @Test
  void aFenceThatIsFedByAnotherSourceIsNotDown() {
    application()
        .run(
            context -> {
              JdbcFence fence = context.getBean(JdbcFence.class);
              fence.raise("elsewhere", Long.MAX_VALUE - 1, "redis:ledger");
              fence.raise("ledger", Long.MAX_VALUE - 1, "redis:ledger");
              assertThatThrownBy(
                      () -> context.getBean(FencedTemplate.class).run("ledger", hold -> 0))
                  .hasMessageContaining("redis:ledger");
              assertThat(status(context)).isEqualTo("UP");
            });
  }

  @Test
  void meters() {
    application()
        .run(
            context -> {
              FencedTemplate template = context.getBean(FencedTemplate.class);
              JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
              JdbcFence fence = context.getBean(JdbcFence.class);
              template.execute(
                  "account/1",
                  hold -> {
                    assertThatThrownBy(
                            () ->
                                inBackground(
                                        () ->
                                            template
                                                .withWait(Duration.ZERO)
                                                .run("account/1", second -> 0))
                                    .join())
                        .hasCauseInstanceOf(LeaseUnavailableException.class);
                    return jdbc.update("UPDATE account SET balance = 1");
                  });
              assertThatThrownBy(
                      () ->
                          template.execute(
                              "account/2",
                              hold -> {
                                Servers.overtake(fence, "account/2");
                                return jdbc.update("UPDATE account SET balance = 2");
                              }))
                  .isInstanceOf(StaleTokenException.class);
              template.run(
                  "account/3",
                  hold -> {
                    Servers.endSession(context.getBean(CuratorFramework.class));
                    await().atMost(LONG).until(() -> !hold.isLive());
                    return 0;
                  });

              MeterRegistry meters = context.getBean(MeterRegistry.class);
              assertThat(meters.get("fencing.lock.wait").tag("resource", "account").timer().count())
                  .isEqualTo(3);
              assertThat(meters.get("fencing.lock.hold").timer().count()).isEqualTo(3);
              assertThat(meters.get("fencing.lock.unavailable").counter().count()).isEqualTo(1);
              assertThat(meters.get("fencing.lock.lost").counter().count()).isEqualTo(1);
              assertThat(meters.get("fencing.raise").timer().count()).isEqualTo(4);
              assertThat(meters.get("fencing.accepted").counter().count()).isEqualTo(1);
              assertThat(meters.get("fencing.refused").tag("reason", "stale").counter().count())
                  .isEqualTo(1);
            });
  }

  /** With Boot's own configuration of meters, over a proxy that loses the answer to a COMMIT. */
  @Test
  void metersOfLostCommitsAndBusyFencesBesideThoseOfThePool() throws Exception {
    try (TcpProxy proxy = TcpProxy.to(PostgresServer.shared().port())) {
      Boot.application()
          .withConfiguration(
              AutoConfigurations.of(
                  FencingMetricsAutoConfiguration.class,
                  Boot.oneOf(
                      "org.springframework.boot.actuate.autoconfigure.metrics.MetricsAutoConfiguration",
                      "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration"),
                  Boot.oneOf(
                      "org.springframework.boot.actuate.autoconfigure.metrics.jdbc.DataSourcePoolMetricsAutoConfiguration",
                      "org.springframework.boot.jdbc.autoconfigure.metrics.DataSourcePoolMetricsAutoConfiguration")))
          .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
          .withPropertyValues(
              "spring.datasource.url="
                  + PostgresServer.shared()
                      .url()
                      .replace(":" + PostgresServer.shared().port(), ":" + proxy.port())
                  + "?prepareThreshold=0",
              "fencing.jdbc.raise-timeout=300ms")
          .run(
              context -> {
                FencedTemplate template = context.getBean(FencedTemplate.class);
                JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
                assertThatThrownBy(
                        () ->
                            template.execute(
                                "account/1",
                                hold -> {
                                  int count = jdbc.update("UPDATE account SET balance = 1");
                                  proxy.dropReplyTo("COMMIT\0");
                                  return count;
                                }))
                    .isInstanceOf(UnknownOutcomeException.class);
                assertThatThrownBy(() -> behindAnOpenCheck(template))
                    .hasCauseInstanceOf(FenceBusyException.class);

                MeterRegistry meters = context.getBean(MeterRegistry.class);
                assertThat(
                        meters.get("fencing.unknown").tag("resource", "account").counter().count())
                    .isEqualTo(1);
                assertThat(meters.get("fencing.busy").tag("resource", "account").counter().count())
                    .isEqualTo(1);
                assertThat(meters.get("hikaricp.connections.max").gauge().value()).isEqualTo(4);
                assertThat(meters.get("jdbc.connections.max").gauge().value()).isEqualTo(4);
              });
    }
  }

  /** Raises again while a transaction holds the fence of the hold before. */
  private static void behindAnOpenCheck(FencedTemplate template) {
    DataSource beside = PostgresServer.shared().dataSource();
    new TransactionTemplate(new JdbcTransactionManager(beside))
        .executeWithoutResult(
            status -> {
              new JdbcTemplate(beside).queryForList("SELECT 1 FROM fence FOR SHARE");
              inBackground(() -> template.run("account/1", hold -> 0)).join();
            });
  }

  @Test
  void theEndpointDoesNotWaitForAZooKeeperThatIsAway() {
    application()
        .withPropertyValues(
            "fencing.curator.lazy=true",
            "fencing.curator.connection-timeout=300ms",
            "fencing.curator.connect-string=127.0.0.1:1")
        .run(
            context -> {
              JdbcFence fence = context.getBean(JdbcFence.class);
              fence.raise("account/1", 5, "/fencing/account/1");
              assertThat(context.getBean(FencingEndpoint.class).all().resources())
                  .extracting(FencingEndpoint.Entry::token, FencingEndpoint.Entry::error)
                  .containsExactly(tuple("5", "ZooKeeper is not connected"));
            });
  }

  @Test
  void theEndpointSaysWhoHoldsWhatAndWhoWaits() {
    application()
        .run(
            context -> {
              FencedTemplate template = context.getBean(FencedTemplate.class);
              FencingEndpoint endpoint = context.getBean(FencingEndpoint.class);
              context.getBean(JdbcFence.class).raise("elsewhere", 5, "redis:ledger");
              var second =
                  template.run(
                      "account/1",
                      hold -> {
                        var waiter =
                            inBackground(() -> template.run("account/1", next -> next.token()));
                        await()
                            .atMost(LONG)
                            .until(
                                () -> {
                                  FencingEndpoint.Entry entry = endpoint.one("account", "1");
                                  return entry != null && entry.waiting().size() == 1;
                                });
                        FencingEndpoint.Entry entry =
                            Objects.requireNonNull(endpoint.one("account", "1"));
                        assertThat(entry.token()).isEqualTo(Long.toString(hold.token()));
                        assertThat(entry.generation()).isZero();
                        assertThat(entry.holder()).isNotEmpty();
                        assertThat(entry.lockedBy()).isNotEmpty();
                        return waiter;
                      });
              second.join();
              assertThat(endpoint.all().resources())
                  .extracting(FencingEndpoint.Entry::resource, FencingEndpoint.Entry::lockedBy)
                  .contains(tuple("account/1", null), tuple("elsewhere", null));
              assertThat(endpoint.one("nothing")).isNull();
            });
  }

  @Test
  void withoutARegistryOrExposureThereIsNeither() {
    Boot.application()
        .withConfiguration(
            AutoConfigurations.of(
                FencingActuatorAutoConfiguration.class, FencingMetricsAutoConfiguration.class))
        .withPropertyValues("management.health.fencing.enabled=false")
        .run(
            context ->
                assertThat(context)
                    .doesNotHaveBean(FencedLockMetrics.class)
                    .doesNotHaveBean(FencingEndpoint.class)
                    .doesNotHaveBean("fencingHealthIndicator"));
  }
}
