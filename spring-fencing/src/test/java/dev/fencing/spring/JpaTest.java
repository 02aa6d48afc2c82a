package dev.fencing.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.fixtures.Fault;
import dev.fencing.fixtures.PostgresServer;
import dev.fencing.fixtures.TcpProxy;
import dev.fencing.jdbc.StaleTokenException;
import dev.fencing.jdbc.UnknownOutcomeException;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
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
    context = start(Jpa.class, Ledger.class);
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
        .isInstanceOf(UnknownOutcomeException.class);
    lost[0].await(Duration.ofSeconds(30));
    assertThat(Servers.balance(1)).isEqualTo(5);
    ledger.change(manager -> manager.find(Account.class, 1).balance += 1);
    assertThat(Servers.balance(1)).isEqualTo(6);
  }
}
