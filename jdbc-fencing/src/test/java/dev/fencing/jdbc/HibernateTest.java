package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.jdbc.FencedDataSource.Unbound;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.PersistenceConfiguration;
import jakarta.persistence.RollbackException;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.hibernate.Session;
import org.hibernate.dialect.PostgreSQLDialect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Hibernate, which throws a refusal as it is, and as the cause of RollbackException where the first
 * statement of the transaction is the flush at its commit.
 */
@ParameterizedClass(name = "autocommit of the pool: {0}")
@ValueSource(booleans = {true, false})
class HibernateTest extends MapperTest {

  @Entity
  @Table(name = "account")
  static class Account {
    @Id int id;
    long balance;
    @Version long version;

    @OneToMany
    @JoinColumn(name = "account")
    List<Entry> entries = new ArrayList<>();
  }

  @Entity
  @Table(name = "journal")
  static class Entry {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    long id;

    @Column(name = "account", insertable = false, updatable = false)
    Integer account = 0;

    String entry = "an entry";
  }

  private static final Map<Boolean, EntityManagerFactory> FACTORIES = new ConcurrentHashMap<>();

  private final EntityManagerFactory hibernate;

  HibernateTest(boolean autoCommit) {
    super(autoCommit);
    hibernate = FACTORIES.computeIfAbsent(autoCommit, mode -> boot(mode, stack.fenced));
  }

  private static EntityManagerFactory boot(boolean autoCommit, FencedDataSource fenced) {
    return new PersistenceConfiguration("fenced-" + autoCommit)
        .managedClass(Account.class)
        .managedClass(Entry.class)
        .property("hibernate.connection.datasource", fenced)
        .property("hibernate.dialect", PostgreSQLDialect.class.getName())
        .property("hibernate.connection.provider_disables_autocommit", !autoCommit)
        .property("hibernate.jdbc.batch_size", 10)
        .createEntityManagerFactory();
  }

  @Test
  void holdsFollowEachOtherAndAStaleOneIsRefused() throws SQLException {
    FencedResource old = hold(33);
    old.call(hold -> set(1, 5));
    FencedResource current = hold(34);

    assertThatThrownBy(() -> old.call(hold -> set(1, 6))).isInstanceOf(StaleTokenException.class);
    assertThat(balance()).isEqualTo(5);
    current.call(hold -> set(1, 7));
    assertThat(balance()).isEqualTo(7);
  }

  @Test
  void whatWasLoadedBeforeTheNextHolderWroteIsNotFlushed() throws SQLException {
    FencedResource old = hold(33);
    try (EntityManager manager = hibernate.createEntityManager()) {
      Account account = old.call(hold -> manager.find(Account.class, 1));
      FencedResource current = hold(34);
      current.call(hold -> set(2, 7)); // Another row, so that no version tells.
      account.balance = 6;

      assertThatThrownBy(
              () ->
                  old.call(
                      hold -> {
                        manager.getTransaction().begin();
                        manager.getTransaction().commit();
                        return 0;
                      }))
          .isInstanceOf(RollbackException.class)
          .hasCauseInstanceOf(StaleTokenException.class);
    }
    assertThat(List.of(balance(1), balance(2))).containsExactly(100L, 7L);
  }

  @Test
  void aRaiseWaitsUntilADelayedFlushIsCommitted() throws Exception {
    FencedResource old = hold(33);
    var next =
        old.call(
            hold ->
                transact(
                    manager -> {
                      manager.find(Account.class, 1).balance = 6;
                      return Background.start(
                          () -> fence.raise("ledger", 34).inTransaction(connection -> balance()));
                    }));
    assertThat(next.get()).isEqualTo(6);
  }

  @Test
  void bulkUpdatesAreChecked() throws SQLException {
    FencedResource old = hold(33);
    String bulk = "update HibernateTest$Account set balance = balance + 1";
    assertThat(old.<Integer, RuntimeException>call(hold -> execute(bulk))).isEqualTo(3);
    hold(34);

    assertThatThrownBy(() -> old.call(hold -> execute(bulk)))
        .isInstanceOf(StaleTokenException.class);
    assertThat(balance()).isEqualTo(101);
  }

  @Test
  void aVersionConflictOfOneHolderIsNoStaleToken() throws SQLException {
    FencedResource ledger = hold(33);
    try (EntityManager slow = hibernate.createEntityManager()) {
      assertThatThrownBy(
              () ->
                  ledger.call(
                      hold -> {
                        Account account = slow.find(Account.class, 1);
                        set(1, 5);
                        account.balance = 6;
                        slow.getTransaction().begin();
                        slow.getTransaction().commit();
                        return 0;
                      }))
          .isInstanceOf(RollbackException.class)
          .hasCauseInstanceOf(OptimisticLockException.class);
    }
    assertThat(ledger.isUsable()).isTrue();
    ledger.call(hold -> set(1, 7));
    assertThat(balance()).isEqualTo(7);
  }

  @Test
  void generatedKeysBatchesStreamsAndLazyLoading() throws SQLException {
    FencedResource old = hold(33);
    try (EntityManager manager = hibernate.createEntityManager()) {
      old.call(
          hold -> {
            manager.getTransaction().begin();
            Account account = manager.find(Account.class, 1);
            Entry entry = new Entry();
            manager.persist(entry);
            assertThat(entry.id).isEqualTo(1);
            account.entries.add(entry);
            try (Stream<Account> all =
                manager
                    .createQuery("from HibernateTest$Account", Account.class)
                    .setHint("org.hibernate.fetchSize", 1)
                    .getResultStream()) {
              all.forEach(each -> each.balance++);
            }
            manager.getTransaction().commit();
            return 0;
          });
      assertThat(List.of(balance(1), balance(3))).containsExactly(101L, 301L);
      manager.clear();
      Account account = old.call(hold -> manager.find(Account.class, 1));
      int loaded = old.call(hold -> account.entries.size());
      assertThat(loaded).isEqualTo(1);
      manager.clear();
      assertThatThrownBy(
              () ->
                  old.call(
                      hold -> {
                        Account again = manager.find(Account.class, 1);
                        hold(34);
                        return again.entries.size();
                      }))
          .isInstanceOf(StaleTokenException.class);
    }
  }

  @Test
  void sessionsThatOnlyReadAreCheckedAsAnyOther() throws SQLException {
    FencedResource ledger = hold(33);
    long read =
        ledger.call(
            hold ->
                transact(
                    manager -> {
                      manager.unwrap(Session.class).setDefaultReadOnly(true);
                      Account account = manager.find(Account.class, 1);
                      account.balance = 6; // Is not flushed.
                      return manager.find(Account.class, 2).balance;
                    }));
    assertThat(read).isEqualTo(200);
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void withItsDialectSaidItBootsWhereWhatIsUnderNoHoldIsRefused() throws SQLException {
    FencedResource ledger = hold(33);
    try (EntityManagerFactory strict =
            boot(autoCommit, new FencedDataSource(stack.fence, Unbound.REFUSE));
        EntityManager manager = strict.createEntityManager()) {
      assertThatThrownBy(() -> manager.find(Account.class, 1))
          .isInstanceOf(FencingException.class)
          .hasMessageContaining("under no hold");
      ledger.call(hold -> manager.find(Account.class, 1));
    }
  }

  @Test
  void itGoesToTheServerOnceMoreUnderAHoldAndNotOnceMoreWithoutOne() throws Exception {
    long[] next = {5};
    assertThat(roundTrips(() -> set(1, next[0]++))).isEqualTo(3); // read, write, commit
    FencedResource ledger = hold(33);
    assertThat(ledger.<Long, Exception>call(hold -> roundTrips(() -> set(1, next[0]++))))
        .isEqualTo(4);
  }

  private int execute(String bulk) {
    return transact(manager -> manager.createQuery(bulk).executeUpdate());
  }

  private long set(int id, long balance) {
    return transact(manager -> manager.find(Account.class, id).balance = balance);
  }

  private <T> T transact(Function<EntityManager, T> work) {
    try (EntityManager manager = hibernate.createEntityManager()) {
      manager.getTransaction().begin();
      try {
        T result = work.apply(manager);
        manager.getTransaction().commit();
        return result;
      } finally {
        if (manager.getTransaction().isActive()) {
          manager.getTransaction().rollback();
        }
      }
    }
  }
}
