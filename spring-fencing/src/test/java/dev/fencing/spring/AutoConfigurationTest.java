package dev.fencing.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.curator.InterProcessFencedMutex;
import dev.fencing.jdbc.FencedDataSource;
import dev.fencing.jdbc.FencingException;
import dev.fencing.jdbc.JdbcFence;
import java.io.IOException;
import java.net.ServerSocket;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** What Boot configures, and what keeps it from that. */
class AutoConfigurationTest extends SpringTest {

  static class Ledger {
    final JdbcTemplate jdbc;

    Ledger(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Fenced("ledger")
    @Transactional
    public long set(long balance) {
      jdbc.update("UPDATE account SET balance = ? WHERE id = 1", balance);
      return FencedHold.current().token();
    }
  }

  @Test
  void everythingIsThereAndTheTransactionsOfTheApplicationAreFenced() {
    Boot.application()
        .withBean(Ledger.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context)
                  .hasSingleBean(CuratorFramework.class)
                  .hasSingleBean(FencedLocks.class)
                  .hasSingleBean(JdbcFence.class)
                  .hasSingleBean(FencedTemplate.class)
                  .hasSingleBean(FencedAnnotationPostProcessor.class);
              assertThat(context.getBean(DataSource.class)).isInstanceOf(FencedDataSource.class);
              long token = context.getBean(Ledger.class).set(5);
              assertThat(Servers.balance(1)).isEqualTo(5);
              assertThat(context.getBean(JdbcFence.class).current("ledger"))
                  .hasValueSatisfying(
                      state -> {
                        assertThat(state.token()).isEqualTo(token);
                        assertThat(state.origin()).isEqualTo("/fencing/ledger");
                      });
            });
  }

  @Test
  void thePoolStaysReachableForItsFiguresAndIsClosedAfterTheFence() {
    HikariDataSource[] pool = new HikariDataSource[1];
    Boot.application()
        .run(
            context -> {
              pool[0] = context.getBean(DataSource.class).unwrap(HikariDataSource.class);
              assertThat(pool[0].getMaximumPoolSize()).isEqualTo(4);
              assertThat(pool[0].isClosed()).isFalse();
            });
    assertThat(pool[0].isClosed()).isTrue();
  }

  @Test
  void withoutADataSourceOrSwitchedOffThereIsNothing() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(FencingAutoConfiguration.class))
        .run(context -> assertThat(context).doesNotHaveBean(FencedLocks.class));
    Boot.application()
        .withPropertyValues("fencing.enabled=false")
        .run(
            context -> {
              assertThat(context).doesNotHaveBean(FencedLocks.class);
              assertThat(context.getBean(DataSource.class)).isInstanceOf(HikariDataSource.class);
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnClient {
    @Bean(initMethod = "start", destroyMethod = "close")
    CuratorFramework mine() {
      return Servers.client();
    }
  }

  @Test
  void aClientOfTheApplicationIsUsed() {
    Boot.withoutZooKeeper() // So that one of the properties would find nobody.
        .withPropertyValues("fencing.curator.connect-string=localhost:1")
        .withUserConfiguration(OwnClient.class)
        .run(context -> assertThat(context).hasNotFailed().hasBean("mine"));
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnFence {
    @Bean(destroyMethod = "close")
    HikariDataSource pool() {
      return Servers.pool(4);
    }

    @Bean
    JdbcFence mine(HikariDataSource pool) {
      return JdbcFence.builder(pool).holder("mine").build();
    }

    @Bean
    @Primary
    DataSource fenced(JdbcFence fence) {
      fence.createSchema();
      return new FencedDataSource(fence, FencedDataSource.Unbound.PASS);
    }
  }

  @Test
  void aFenceOfTheApplicationIsUsedWithItsOwnView() {
    Boot.application()
        .withUserConfiguration(OwnFence.class)
        .withBean(Ledger.class)
        .run(
            context -> {
              assertThat(context).hasNotFailed().hasSingleBean(JdbcFence.class);
              assertThat(context.getBean("pool")).isInstanceOf(HikariDataSource.class);
              context.getBean(Ledger.class).set(5);
              assertThat(
                      Servers.SQL.queryForObject(
                          "SELECT holder FROM fence WHERE resource = 'ledger'", String.class))
                  .isEqualTo("mine");
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoPools {
    @Bean(destroyMethod = "close")
    HikariDataSource one() {
      return Servers.pool(4);
    }

    @Bean(destroyMethod = "close")
    HikariDataSource two() {
      return Servers.pool(4);
    }
  }

  @Test
  void ofTwoDataSourcesTheNamedOneIsFenced() {
    ApplicationContextRunner two = Boot.application().withUserConfiguration(TwoPools.class);
    two.run(
        context ->
            assertFailure(context)
                .rootCause()
                .hasMessageContaining("[one, two]")
                .hasMessageContaining("fencing.jdbc.data-source"));
    two.withPropertyValues("fencing.jdbc.data-source=two")
        .run(
            context -> {
              assertThat(context.getBean("one")).isInstanceOf(HikariDataSource.class);
              assertThat(context.getBean("two")).isInstanceOf(FencedDataSource.class);
            });
    two.withPropertyValues("fencing.jdbc.data-source=three")
        .run(
            context ->
                assertFailure(context)
                    .rootCause()
                    .hasMessageContaining("fencing.jdbc.data-source is \"three\""));
  }

  @Configuration(proxyBeanMethods = false)
  static class OnlyByQualifier {
    @Bean(destroyMethod = "close")
    HikariDataSource usual() {
      return Servers.pool(4);
    }

    @Bean(destroyMethod = "close", defaultCandidate = false)
    HikariDataSource special() {
      return Servers.pool(4);
    }

    @Bean(destroyMethod = "close")
    @Fallback
    HikariDataSource fallback() {
      return Servers.pool(4);
    }
  }

  @Test
  void ofSeveralDataSourcesTheOneThatIsInjectedByTypeIsFenced() {
    Boot.application()
        .withUserConfiguration(OnlyByQualifier.class)
        .run(
            context -> {
              assertThat(context.getBean("usual")).isInstanceOf(FencedDataSource.class);
              assertThat(context.getBean("special")).isInstanceOf(HikariDataSource.class);
              assertThat(context.getBean("fallback")).isInstanceOf(HikariDataSource.class);
            });
  }

  @Test
  void aLazyApplicationWithALeaderWorksWhenZooKeeperComes() throws Exception {
    try (TestingServer later = new TestingServer(InstanceSpec.getRandomPort(), false)) {
      Boot.withoutZooKeeper()
          .withBean(Ledger.class)
          .withUserConfiguration(LeaderTest.Leading.class)
          .withPropertyValues(
              "fencing.curator.connect-string=" + later.getConnectString(),
              "fencing.curator.lazy=true",
              "fencing.wait-time=60s")
          .run(
              context -> {
                assertThat(context).hasNotFailed();
                assertThat(context.getBean(FencedLeader.class).isRunning()).isTrue();
                later.start();
                context.getBean(Ledger.class).set(5);
                await()
                    .atMost(LONG)
                    .until(() -> context.getBean(FencedLeader.class).hold().isPresent());
              });
    }
    assertThat(Servers.balance(1)).isEqualTo(5);
  }

  @Test
  void withoutZooKeeperItFailsAtOnceAndNamesTheAddressUnlessItMayComeLater() throws IOException {
    String nobody = "127.0.0.1:" + unusedPort();
    ApplicationContextRunner without =
        Boot.withoutZooKeeper()
            .withBean(Ledger.class)
            .withPropertyValues(
                "fencing.curator.connect-string=" + nobody,
                "fencing.curator.connection-timeout=300ms",
                "fencing.wait-time=0s");
    without.run(
        context ->
            assertFailure(context)
                .rootCause()
                .hasMessageContaining("no ZooKeeper answers at " + nobody)
                .hasMessageContaining("fencing.curator.lazy=true"));
    without
        .withPropertyValues("fencing.curator.lazy=true")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThatThrownBy(() -> context.getBean(Ledger.class).set(5))
                  .isInstanceOf(FencingException.class)
                  .hasMessageContaining("the lock for resource \"ledger\" could not be acquired");
            });
  }

  private static int unusedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @Test
  void aMissingGuardTableIsSaidAtStartWithItsDdl() {
    Servers.dropGuardTable();
    Boot.application()
        .withPropertyValues("fencing.jdbc.schema=check")
        .run(
            context ->
                assertFailure(context)
                    .hasStackTraceContaining("CREATE TABLE IF NOT EXISTS fence ("));
    Boot.application()
        .withPropertyValues("fencing.jdbc.schema=none")
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Configuration(proxyBeanMethods = false)
  @EnableConfigurationProperties(FencingProperties.class)
  static class OnlyProperties {}

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          fencing.wait-time,                        -1s
          fencing.wait-time,                        soon
          fencing.root,                             fencing
          fencing.curator.connect-string,           ' '
          fencing.curator.connect-string,           zk1:port
          fencing.curator.connect-string,           zk1:99999
          fencing.curator.connect-string,           zk1:2181/a//b
          fencing.curator.namespace,                a//b
          fencing.curator.lazy,                     perhaps
          fencing.curator.session-timeout,          0s
          fencing.curator.session-timeout,          30d
          fencing.curator.connection-timeout,       20s
          fencing.jdbc.schema,                      maybe
          fencing.jdbc.table,                       fence;drop
          fencing.jdbc.generation,                  -1
          fencing.jdbc.raise-timeout,               2h
          fencing.jdbc.check-timeout,               0s
          fencing.jdbc.idle-in-transaction-timeout, 0s
          fencing.jdbc.unbound,                     sometimes
          fencing.jdbc.holder,                      ''
          fencing.enabled,                          perhaps
          fencing.web.enabled,                      perhaps
          fencing.jdbc.tabel,                       fence
          """)
  void aWrongValueFailsAtStartAndNamesTheProperty(String property, String value) {
    new ApplicationContextRunner()
        .withUserConfiguration(OnlyProperties.class)
        .withPropertyValues(property + "=" + value)
        .run(context -> assertFailure(context).hasStackTraceContaining(property));
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoMutexes {
    @Bean
    InterProcessFencedMutex one(CuratorFramework client) {
      return new InterProcessFencedMutex(client, "/locks/ledger");
    }

    @Bean
    InterProcessFencedMutex two(CuratorFramework client) {
      return new InterProcessFencedMutex(client, "/locks/ledger");
    }
  }

  @Test
  void twoBeansForOneLockPathAreRefused() {
    Boot.application()
        .withUserConfiguration(TwoMutexes.class)
        .run(
            context ->
                assertFailure(context)
                    .hasMessageContaining(
                        "the beans \"one\" and \"two\" are both for the lock path /locks/ledger"));
  }

  @Test
  void aWriteUnderNoHoldIsRefusedWhereThatIsWanted() {
    Boot.application()
        .withBean(Ledger.class)
        .withPropertyValues("fencing.jdbc.unbound=refuse")
        .run(
            context -> {
              JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
              assertThatThrownBy(() -> jdbc.update("UPDATE account SET balance = 1"))
                  .isInstanceOf(FencingException.class)
                  .hasMessageContaining("under no hold");
              context.getBean(Ledger.class).set(5);
            });
    assertThat(Servers.balance(1)).isEqualTo(5);
  }

  @Test
  void propertiesReachTheFence() {
    Boot.application()
        .withBean(Ledger.class)
        .withPropertyValues(
            "fencing.root=/other/locks",
            "fencing.curator.namespace=space",
            "fencing.jdbc.holder=the holder",
            "fencing.jdbc.generation=3")
        .run(
            context -> {
              context.getBean(Ledger.class).set(5);
              assertThat(context.getBean(JdbcFence.class).current("ledger"))
                  .hasValueSatisfying(
                      state -> {
                        assertThat(state.origin()).isEqualTo("/other/locks/ledger");
                        assertThat(state.holder()).isEqualTo("the holder");
                        assertThat(state.generation()).isEqualTo(3);
                      });
              assertThat(
                      context
                          .getBean(CuratorFramework.class)
                          .usingNamespace(null)
                          .getChildren()
                          .forPath("/space/other/locks"))
                  .containsExactly("ledger");
            });
  }

  private static org.assertj.core.api.AbstractThrowableAssert<?, ? extends Throwable> assertFailure(
      AssertableApplicationContext context) {
    assertThat(context).hasFailed();
    return assertThat(context.getStartupFailure());
  }
}
