package dev.fencing.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.jdbc.FencedDataSource;
import dev.fencing.jdbc.JdbcFence;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;

/** What cannot work does not start, and what can does, whatever the orders. */
class RefusedAtStartTest extends SpringTest {

  @SuppressWarnings("UnusedMethod") // Nobody sees it, which is the point.
  static class Private {
    @Fenced("ledger")
    private void hidden() {}
  }

  static class Static {
    @Fenced("ledger")
    static void hidden() {}
  }

  static class Final {
    @Fenced("ledger")
    public final void hidden() {}
  }

  static class Later {
    @Fenced("ledger")
    public CompletableFuture<Integer> later() {
      return new CompletableFuture<>();
    }
  }

  static class Reactive {
    @Fenced("ledger")
    public Mono<Integer> reactive() {
      return Mono.just(1);
    }
  }

  static class Nameless {
    @Fenced({})
    public void nameless() {}
  }

  static class Misspelt {
    @Fenced("account/#{#id")
    public void misspelt(int id) {}
  }

  static class Encoded {
    @Fenced("account/%2F")
    public void encoded() {}
  }

  static class Impatient {
    @Fenced(value = "ledger", waitTime = "soon")
    public void impatient() {}
  }

  static class Unmanaged {
    @Fenced(value = "ledger", transactionManager = "nobody")
    public void unmanaged() {}
  }

  static class Slashes {
    @Fenced("account//#{#id}")
    public void slashes(int id) {}
  }

  static class Contender {
    @Fenced("account/lock-1")
    public void contender() {}
  }

  static class Unresolved {
    @Fenced("${no.such.property}")
    public void unresolved() {}
  }

  static final class FinalClass {
    @Fenced("ledger")
    public void hidden() {}
  }

  static class TwoManagers {
    @Fenced(value = "ledger", transactionManager = "orders")
    @Transactional
    public void undecided() {}
  }

  static class LeaderWithResult {
    @Fenced(value = "ledger", leader = true)
    public int result() {
      return 1;
    }
  }

  private void refuses(Class<?> bean, String why) {
    assertThatThrownBy(() -> start(bean)).as(bean.getSimpleName()).hasStackTraceContaining(why);
  }

  @Test
  void methodsThatCannotBeFenced() {
    refuses(Private.class, "no proxy sees a private, static or final method");
    refuses(Static.class, "no proxy sees a private, static or final method");
    refuses(Final.class, "no proxy sees a private, static or final method");
    refuses(Later.class, "returns a CompletableFuture, which is finished after the commit");
    refuses(Reactive.class, "returns a Mono, which is finished after the commit");
    refuses(Nameless.class, "names no resource");
    refuses(Misspelt.class, "\"account/#{#id\" is no name of a resource");
    refuses(Encoded.class, "has a % in it");
    refuses(Impatient.class, "soon");
    refuses(Unmanaged.class, "nobody");
    refuses(Slashes.class, "\"account//x\" is no name of a resource");
    refuses(Contender.class, "as ZooKeeper's lock nodes");
    refuses(Unresolved.class, "has a placeholder that no property resolves");
    refuses(FinalClass.class, "final class");
    refuses(TwoManagers.class, "its @Transactional begins the transaction: name it there");
    refuses(LeaderWithResult.class, "a method that returns nothing");
  }

  @Configuration(proxyBeanMethods = false)
  static class AroundTheFence {
    @Bean
    @Primary
    PlatformTransactionManager raw(HikariDataSource pool) {
      return new JdbcTransactionManager(pool);
    }
  }

  static class Around {
    @Fenced("ledger")
    @Transactional("raw")
    public void around() {}
  }

  static class AroundByDefault {
    @Fenced("ledger")
    @Transactional
    public void around() {}
  }

  /** A second database with a fence of its own; what the first has is primary. */
  @Configuration(proxyBeanMethods = false)
  static class TwoDatabases {
    @Bean
    PlatformTransactionManager raw(HikariDataSource pool) {
      return new JdbcTransactionManager(pool);
    }

    @Bean
    PlatformTransactionManager second(HikariDataSource pool) {
      return new JdbcTransactionManager(
          new FencedDataSource(JdbcFence.of(pool), FencedDataSource.Unbound.PASS));
    }

    @Bean
    @Primary
    PlatformTransactionManager transactionManager(DataSource dataSource) {
      return new JdbcTransactionManager(dataSource);
    }
  }

  static class OfTheSecond {
    @Fenced(value = "ledger", transactionManager = "second")
    public void unchecked() {}
  }

  static class TransactionalOfTheSecond {
    @Fenced("ledger")
    @Transactional("second")
    public void unchecked() {}
  }

  @Test
  void transactionsAroundTheFence() {
    refuses(AroundTheFence.class, "which no fence is over");
    String method = "Around.around() cannot work";
    refuses(method, "which no fence is over", TwoDatabases.class, Around.class);
    refuses("OfTheSecond.unchecked()", "another JdbcFence", TwoDatabases.class, OfTheSecond.class);
    refuses(
        "TransactionalOfTheSecond.unchecked()",
        "another JdbcFence",
        TwoDatabases.class,
        TransactionalOfTheSecond.class);
    start(TwoDatabases.class, AroundByDefault.class);
  }

  private void refuses(String method, String why, Class<?>... beans) {
    assertThatThrownBy(() -> start(beans))
        .hasStackTraceContaining(method)
        .hasStackTraceContaining(why);
  }

  @Configuration(proxyBeanMethods = false)
  static class Unstarted {
    @Bean(destroyMethod = "close")
    CuratorFramework client() {
      return Servers.client();
    }
  }

  @Test
  void aClientThatIsNotStarted() {
    refuses(Unstarted.class, "the CuratorFramework is not started");
  }

  static class Work {
    final JdbcTemplate jdbc;

    Work(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Fenced("ledger")
    @Transactional
    public String inTransaction() {
      jdbc.update("UPDATE account SET balance = 1 WHERE id = 1");
      return String.valueOf(TransactionSynchronizationManager.getCurrentTransactionName());
    }

    @Async
    @Fenced("ledger")
    public CompletableFuture<String> async() {
      jdbc.update("UPDATE account SET balance = 2 WHERE id = 1");
      return CompletableFuture.completedFuture(
          Thread.currentThread().getName() + FencedHold.current().resource());
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableTransactionManagement(order = 0)
  @EnableAsync
  static class TransactionsFirst {}

  @Test
  void theLockIsOutsideOfTransactionsOfEveryOrderAndInsideOfAsync() throws Exception {
    Work work = start(TransactionsFirst.class, Work.class).getBean(Work.class);
    assertThat(work.inTransaction()).endsWith("Work.inTransaction");
    assertThat(Servers.balance(1)).isEqualTo(1);
    assertThat(work.async().get(60, TimeUnit.SECONDS))
        .endsWith("ledger")
        .doesNotStartWith(Thread.currentThread().getName());
    assertThat(Servers.balance(1)).isEqualTo(2);
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAsync(order = 0)
  static class AsyncInside {}

  @Test
  void anAsyncBodyThatWouldRunAfterTheRelease() {
    assertThatThrownBy(() -> start(AsyncInside.class, Work.class))
        .hasStackTraceContaining("would release its lock before the @Async body has run");
  }

  @Test
  void aBeanWithoutFencedMethodsIsLeftAlone() {
    ConfigurableApplicationContext context = start(TransactionsFirst.class);
    assertThat(context.getBean(TransactionsFirst.class).getClass())
        .isEqualTo(TransactionsFirst.class);
  }
}
