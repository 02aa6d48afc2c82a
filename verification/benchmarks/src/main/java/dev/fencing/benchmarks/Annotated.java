package dev.fencing.benchmarks;

import dev.fencing.curator.FencedLease;
import dev.fencing.curator.InterProcessFencedMutex;
import dev.fencing.jdbc.FencedDataSource;
import dev.fencing.jdbc.FencedDataSource.Unbound;
import dev.fencing.jdbc.FencedResource;
import dev.fencing.jdbc.JdbcFence;
import dev.fencing.spring.Fenced;
import dev.fencing.spring.FencedAnnotationPostProcessor;
import dev.fencing.spring.FencedLocks;
import java.util.List;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** A method with {@code @Fenced @Transactional} against the same steps written by hand. */
final class Annotated {

  private static final String RESOURCE = "bench";
  private static final String HAND = "/fencing/by-hand";

  /** Some hundred calls a second take long to be compiled. */
  private static final int WARM_UPS = 6;

  @Configuration(proxyBeanMethods = false)
  @EnableTransactionManagement
  static class Application {}

  /** What the annotated method does, as every user would write it. */
  static class Ledger {

    private final JdbcTemplate jdbc;

    Ledger(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Fenced(RESOURCE)
    @Transactional
    void add() {
      jdbc.update(Accounts.ADD, 1L, 0);
    }
  }

  private Annotated() {}

  static void calls(ServerProcess server, Effort effort, Findings findings) throws Exception {
    try (Accounts accounts = new Accounts(2);
        CuratorFramework client = Clients.connect(server.address());
        AnnotationConfigApplicationContext context = application(accounts, client)) {
      Clients.lockPath(client, HAND);
      Clients.lockPath(client, "/fencing/" + RESOURCE);
      Ledger ledger = context.getBean(Ledger.class);
      InterProcessFencedMutex mutex = new InterProcessFencedMutex(client, HAND);
      JdbcTransactionManager transactions = new JdbcTransactionManager(accounts.pool());
      TransactionTemplate template = new TransactionTemplate(transactions);
      JdbcTemplate jdbc = new JdbcTemplate(accounts.pool());
      Turns turns =
          new Turns(
              List.of(
                  ledger::add,
                  () -> withSpring(mutex, accounts, template, jdbc),
                  () -> withJdbc(mutex, accounts)));
      turns.run(WARM_UPS * effort.warmUps(), effort.rounds(), effort.time());
      findings.add("@Fenced @Transactional, a call", "ms", Spread.of(turns.of(0)));
      findings.add(
          "a call / the same steps with TransactionTemplate and JdbcTemplate",
          "×",
          Spread.ofRatios(turns.of(0), turns.of(1)),
          Goal.atMost(1.1));
      findings.add(
          "a call / the same steps without Spring",
          "×",
          Spread.ofRatios(turns.of(0), turns.of(2)),
          Goal.atMost(1.1));
    }
  }

  private static AnnotationConfigApplicationContext application(
      Accounts accounts, CuratorFramework client) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context.registerBean(JdbcFence.class, accounts::fence);
    context.registerBean(
        DataSource.class, () -> new FencedDataSource(accounts.fence(), Unbound.REFUSE));
    context.registerBean(
        JdbcTransactionManager.class,
        () -> new JdbcTransactionManager(context.getBean(DataSource.class)));
    context.registerBean(
        JdbcTemplate.class, () -> new JdbcTemplate(context.getBean(DataSource.class)));
    context.registerBean(FencedLocks.class, () -> new FencedLocks(client, "/fencing"));
    context.registerBean(FencedAnnotationPostProcessor.class);
    context.registerBean(Ledger.class);
    context.register(Application.class);
    context.refresh();
    return context;
  }

  private static void withSpring(
      InterProcessFencedMutex mutex,
      Accounts accounts,
      TransactionTemplate template,
      JdbcTemplate jdbc)
      throws Exception {
    try (FencedLease lease = mutex.acquireLease()) {
      FencedResource held = accounts.fence().raise("by-hand", lease.token());
      template.executeWithoutResult(
          status -> {
            held.check(DataSourceUtils.getConnection(accounts.pool()));
            jdbc.update(Accounts.ADD, 1L, 1);
          });
    }
  }

  private static void withJdbc(InterProcessFencedMutex mutex, Accounts accounts) throws Exception {
    try (FencedLease lease = mutex.acquireLease()) {
      FencedResource held = accounts.fence().raise("by-hand", lease.token());
      held.inTransaction(connection -> Accounts.add(connection, 1));
    }
  }
}
