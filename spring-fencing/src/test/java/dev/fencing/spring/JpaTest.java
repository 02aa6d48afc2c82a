package dev.fencing.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.fixtures.Fault;
import dev.fencing.fixtures.PostgresServer;
import dev.fencing.fixtures.TcpProxy;
import dev.fencing.jdbc.FencedTable;
import dev.fencing.jdbc.FencingException;
import dev.fencing.jdbc.StaleTokenException;
import dev.fencing.jdbc.UnknownOutcomeException;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.http.ProblemDetail;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Hibernate under {@code JpaTransactionManager}. */
class JpaTest extends SpringTest {

  @Entity
  @Table(name = "account")
  static class Account {
    @Id int id;
    long balance;

    @Column(name = "note")
    String note = "";
  }

  /** The same rows, with a version and the column of a fence that JPA leaves alone. */
  @Entity
  @Table(name = "account")
  static class Versioned {
    @Id int id;
    long balance;
    @Version int version;

    @Column(name = "fencing_token", insertable = false, updatable = false)
    @Nullable Long token;
  }

  @Configuration(proxyBeanMethods = false)
  static class Jpa {
    @Bean
    LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
      LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
      factory.setDataSource(dataSource);
      factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
      factory.setPackagesToScan(JpaTest.class.getPackageName());
      factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "none"));
      return factory;
    }

    @Bean
    @Primary
    JpaTransactionManager jpa(EntityManagerFactory factory) {
      return new JpaTransactionManager(factory);
    }
  }

  static class Ledger {
    final EntityManager manager;

    Ledger(EntityManagerFactory factory) {
      manager = SharedEntityManagerCreator.createSharedEntityManager(factory);
    }

    @Fenced("ledger")
    @Transactional
    public long change(Consumer<EntityManager> work) {
      work.accept(manager);
      return FencedHold.current().token();
    }

    @Fenced("ledger")
    @Transactional
    public void merge(Account account) {
      manager.merge(account);
    }

    @Fenced("ledger")
    public void withoutTransactional(Consumer<EntityManager> work) {
      work.accept(manager);
    }

    @Transactional
    public void unfenced(Consumer<EntityManager> work) {
      work.accept(manager);
    }
  }

  private ConfigurableApplicationContext context;
  private Ledger ledger;

  @BeforeEach
  void start() {
    context = shared(Jpa.class, Ledger.class);
    ledger = context.getBean(Ledger.class);
  }

  /** A web request with open-in-view: one persistence context from its first read on. */
  private void request(Consumer<EntityManager> work) {
    EntityManagerFactory factory = context.getBean(EntityManagerFactory.class);
    EntityManager manager = factory.createEntityManager();
    TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(manager));
    try {
      work.accept(manager);
    } finally {
      TransactionSynchronizationManager.unbindResource(factory);
      manager.close();
    }
  }

  private static void anotherHolderPosts50() {
    Servers.SQL.update("UPDATE account SET balance = balance + 50 WHERE id = 1");
  }

  @Test
  void whatARequestHasLoadedBeforeIsReadAnewInsideTheHold() {
    request(
        view -> {
          assertThat(view.find(Account.class, 1).balance).isEqualTo(100);
          anotherHolderPosts50();
          ledger.change(manager -> manager.find(Account.class, 1).balance += 5);
          assertThat(view.find(Account.class, 1).balance).isEqualTo(155);
        });
    assertThat(Servers.balance(1)).isEqualTo(155);
  }

  @Test
  void whatARequestHasLoadedAndChangedBeforeIsNeverWrittenBack() {
    request(
        view -> {
          Account before = view.find(Account.class, 1);
          before.note = "changed before the hold";
          anotherHolderPosts50();
          ledger.change(
              manager -> {
                before.balance += 5;
                manager.find(Account.class, 2).balance = 7;
              });
          ledger.withoutTransactional(manager -> manager.find(Account.class, 2).balance = 8);
        });
    assertThat(Servers.balance(1)).isEqualTo(150);
    assertThat(Servers.balance(2)).isEqualTo(8);
    assertThat(Servers.number("SELECT count(*) FROM account WHERE note IS NOT NULL")).isZero();
  }

  @Test
  void anArgumentThatWasLoadedBeforeIsRefused() {
    request(
        view -> {
          Account before = view.find(Account.class, 1);
          anotherHolderPosts50();
          assertThatThrownBy(() -> ledger.merge(before))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("loaded before the fence was raised")
              .hasMessageContaining("pass its id");
        });
    assertThat(Servers.balance(1)).isEqualTo(150);
    assertThat(contenders(context, "ledger")).isZero();
  }

  @Test
  void aRefusalAtTheFlushOfTheCommitReachesTheCallerAsItself() {
    assertThatThrownBy(
            () ->
                ledger.change(
                    manager -> {
                      Servers.overtake(fence(context), "ledger");
                      Account made = new Account();
                      made.id = 3;
                      manager.persist(made);
                    }))
        .isInstanceOf(StaleTokenException.class);
    assertThat(Servers.number("SELECT count(*) FROM account")).isEqualTo(2);
  }

  @Test
  void bulkUpdatesAndDelayedFlushesAreChecked() {
    String bulk = "update JpaTest$Account set balance = balance + 1";
    ledger.change(
        manager -> {
          manager.find(Account.class, 1).balance = 7;
          manager.createQuery(bulk).executeUpdate();
        });
    assertThat(Servers.balance(1)).isEqualTo(8);
    assertThatThrownBy(
            () ->
                ledger.change(
                    manager -> {
                      Servers.overtake(fence(context), "ledger");
                      manager.createQuery(bulk).executeUpdate();
                    }))
        .isInstanceOf(StaleTokenException.class);
    assertThat(Servers.balance(1)).isEqualTo(8);
  }

  @Test
  void aRefusalThatTheWorkSwallowsIsNotCommittedAndNamedAllTheSame() {
    assertThatThrownBy(
            () ->
                ledger.change(
                    manager -> {
                      Servers.overtake(fence(context), "ledger");
                      assertThatThrownBy(() -> manager.find(Account.class, 1))
                          .isInstanceOf(StaleTokenException.class);
                    }))
        .isInstanceOf(FencingException.class)
        .hasStackTraceContaining("StaleTokenException");
  }

  @Test
  void aConflictOfVersionsIsAnotherExceptionAndLeavesTheHoldAsItIs() {
    FencedTemplate template = context.getBean(FencedTemplate.class);
    template.run(
        "ledger",
        hold -> {
          assertThatThrownBy(
                  () ->
                      ledger.change(
                          manager -> {
                            manager.find(Versioned.class, 1).balance = 7;
                            Servers.SQL.update("UPDATE account SET version = 5 WHERE id = 1");
                          }))
              .isInstanceOf(OptimisticLockingFailureException.class)
              .isNotInstanceOf(FencingException.class);
          assertThat(hold.isLive()).isTrue();
          ledger.change(manager -> manager.find(Versioned.class, 1).balance = 8);
          Servers.overtake(fence(context), "ledger");
          assertThatThrownBy(
                  () -> ledger.change(manager -> manager.find(Versioned.class, 1).balance = 9))
              .isInstanceOf(StaleTokenException.class);
          return 0;
        });
    assertThat(Servers.balance(1)).isEqualTo(8);
  }

  @Test
  void aFlushDoesNotPutAnOldFenceOfARowBack() {
    FencedTable rows =
        FencedTable.builder(PostgresServer.shared().dataSource(), "account").key("id").build();
    rows.overwrite(7, Map.of("note", "by 7"), 1);
    ledger.change(
        manager -> {
          Versioned account = manager.find(Versioned.class, 1);
          account.token = 3L;
          account.balance = 8;
        });
    assertThat(Servers.number("SELECT fencing_token FROM account WHERE id = 1")).isEqualTo(7);
    assertThat(Servers.balance(1)).isEqualTo(8);
  }

  @Test
  void aNextHolderWaitsForADelayedFlush() throws Exception {
    List<CompletableFuture<Long>> next = new ArrayList<>();
    ledger.change(
        manager -> {
          Account account = manager.find(Account.class, 1);
          next.add(inBackground(this::readUnderTheNextHold));
          account.balance = 7;
        });
    assertThat(next.get(0).get(60, TimeUnit.SECONDS)).isEqualTo(7);
  }

  private long readUnderTheNextHold() {
    long[] read = new long[1];
    ledger.change(manager -> read[0] = manager.find(Account.class, 1).balance);
    return read[0];
  }

  @Configuration(proxyBeanMethods = false)
  static class ThroughProxy {
    @Bean(destroyMethod = "close")
    TcpProxy proxy() throws IOException {
      return TcpProxy.to(PostgresServer.shared().port());
    }

    @Bean(destroyMethod = "close")
    HikariDataSource pool(TcpProxy proxy) {
      HikariDataSource pool = new HikariDataSource();
      PGSimpleDataSource server =
          (PGSimpleDataSource) PostgresServer.shared().dataSource(proxy.port());
      server.setPrepareThreshold(0); // Every COMMIT is sent as text.
      pool.setDataSource(server);
      pool.setMaximumPoolSize(4);
      return pool;
    }
  }

  @Test
  void aLostAnswerToTheCommitReachesTheCallerAsAnUnknownOutcome() throws Exception {
    ConfigurableApplicationContext proxied = start(ThroughProxy.class, Jpa.class, Ledger.class);
    TcpProxy proxy = proxied.getBean(TcpProxy.class);
    Ledger ledger = proxied.getBean(Ledger.class);
    Fault[] lost = new Fault[1];
    assertThatThrownBy(
            () ->
                ledger.change(
                    manager -> {
                      manager.find(Account.class, 1).balance = 5;
                      lost[0] = proxy.dropReplyTo("COMMIT\0");
                    }))
        .isInstanceOfSatisfying(
            UnknownOutcomeException.class,
            unknown ->
                assertThat(new FencingProblems().failed(unknown).getBody())
                    .extracting(ProblemDetail::getStatus, ProblemDetail::getDetail)
                    .containsExactly(
                        500, "It is not known whether this was done. Look before you try again."));
    lost[0].await(Duration.ofSeconds(30));
    assertThat(Servers.balance(1)).isEqualTo(5);
    ledger.change(manager -> manager.find(Account.class, 1).balance += 1);
    assertThat(Servers.balance(1)).isEqualTo(6);
  }
}
