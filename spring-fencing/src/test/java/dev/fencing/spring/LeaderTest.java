package dev.fencing.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.fixtures.PostgresServer;
import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.StaleTokenException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.StatementCallback;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.Transactional;

/** A leader as a bean, and what runs under it. */
class LeaderTest extends SpringTest {

  @Configuration(proxyBeanMethods = false)
  static class Leading {
    @Bean
    FencedLeader leader(FencedLocks locks, JdbcFence fence) {
      return new FencedLeader(locks, fence, "job");
    }
  }

  /** Posts items one after the other from the position that is stored. */
  static class Job {
    static volatile CountDownLatch pause = new CountDownLatch(0);
    static volatile boolean paused; // Static, because a proxy has fields of its own.
    final JdbcTemplate jdbc;

    Job(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Fenced(value = "job", leader = true)
    @Transactional
    public void postNext() {
      if (Thread.currentThread().getName().equals("background")) {
        paused = true;
        pass(pause);
      }
      Integer next = jdbc.queryForObject("SELECT count(*) + 1 FROM item", Integer.class);
      jdbc.update("INSERT INTO item VALUES (?, ?)", next, FencedHold.current().token());
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableScheduling
  static class Scheduling {
    final Job job;

    Scheduling(Job job) {
      this.job = job;
    }

    @Scheduled(fixedDelay = 5)
    void run() {
      job.postNext();
    }
  }

  private static FencedLeader leader(ConfigurableApplicationContext context) {
    return context.getBean(FencedLeader.class);
  }

  private static void awaitLeading(ConfigurableApplicationContext context) {
    await().atMost(LONG).until(() -> leader(context).hold().isPresent());
  }

  private static long items() {
    return Servers.number("SELECT count(*) FROM item");
  }

  @BeforeEach
  void pauseNobody() {
    Job.pause = new CountDownLatch(0);
    Job.paused = false;
  }

  @Test
  void onlyTheLeaderRunsTheMethodAndTheOthersLeaveItOut() {
    ConfigurableApplicationContext first = start(Leading.class, Job.class);
    awaitLeading(first);
    ConfigurableApplicationContext second = start(Leading.class, Job.class);
    second.getBean(Job.class).postNext();
    assertThat(items()).isZero();
    first.getBean(Job.class).postNext();
    assertThat(items()).isEqualTo(1);
    first.close();
    awaitLeading(second);
    second.getBean(Job.class).postNext();
    assertThat(items()).isEqualTo(2);
  }

  @Test
  void afterAFailoverEachItemIsPostedOnceAndTheOldLeaderIsRefused() throws Exception {
    ConfigurableApplicationContext old = start(Leading.class, Job.class);
    awaitLeading(old);
    Job job = old.getBean(Job.class);
    for (int i = 0; i < 50; i++) {
      job.postNext();
    }
    ConfigurableApplicationContext next = start(Leading.class, Job.class);
    await().atMost(LONG).until(() -> contenders(next, "job") == 2);
    FencedHold hold = leader(old).hold().orElseThrow();
    Job.pause = new CountDownLatch(1);
    CompletableFuture<?> late =
        inBackground(
            () -> {
              job.postNext();
              return 0;
            });
    await().atMost(LONG).until(() -> Job.paused);
    Servers.endSession(old.getBean(CuratorFramework.class));
    awaitLeading(next);
    Job resumed = next.getBean(Job.class);
    for (int i = 50; i < 100; i++) {
      resumed.postNext();
    }
    Job.pause.countDown();

    assertThatThrownBy(() -> late.get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(StaleTokenException.class);
    assertThat(hold.isLive()).isFalse();
    assertThat(items()).isEqualTo(100);
    assertThat(Servers.number("SELECT count(DISTINCT number) FROM item")).isEqualTo(100);
  }

  /** A job that a row lock of somebody else keeps in its statement. */
  static class Blocked {
    static volatile @Nullable Statement statement;
    static volatile @Nullable Thread thread;
    final JdbcTemplate jdbc;

    Blocked(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Fenced(value = "job", leader = true)
    @Transactional
    public void add() {
      Thread.currentThread().setName("blocked");
      jdbc.execute(
          (StatementCallback<Integer>)
              made -> {
                thread = Thread.currentThread();
                statement = made;
                return made.executeUpdate("UPDATE account SET balance = balance + 1 WHERE id = 1");
              });
    }
  }

  private static long waiting() {
    return Servers.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
  }

  private interface WhenBlocked {
    void accept(ConfigurableApplicationContext next, CompletableFuture<?> working)
        throws SQLException;
  }

  /** The old leader is in a statement when its lease ends; the next one stands by. */
  private void blockedWhenTheLeaseEnds(WhenBlocked then) throws Exception {
    ConfigurableApplicationContext old = start(Leading.class, Blocked.class);
    awaitLeading(old);
    ConfigurableApplicationContext next = start(Leading.class, Blocked.class);
    await().atMost(LONG).until(() -> contenders(next, "job") == 2);
    FencedHold hold = leader(old).hold().orElseThrow();
    CompletableFuture<?> working;
    try (Connection beside = PostgresServer.shared().dataSource().getConnection()) {
      beside.setAutoCommit(false);
      beside.createStatement().execute("SELECT 1 FROM account WHERE id = 1 FOR UPDATE");
      working =
          inBackground(
              () -> {
                old.getBean(Blocked.class).add();
                return 0;
              });
      await().atMost(LONG).until(() -> waiting() == 1);
      Servers.endSession(old.getBean(CuratorFramework.class));
      await().atMost(LONG).until(() -> !hold.isLive());
      Objects.requireNonNull(Blocked.thread).interrupt();
      await() // The raise of the next holder waits for the transaction that has checked.
          .atMost(LONG)
          .until(() -> waiting() == 2);
      assertThat(working).isNotDone(); // The interrupt has stopped nothing.
      assertThat(leader(next).hold()).isEmpty();
      then.accept(next, working);
      beside.rollback();
    }
    awaitLeading(next);
    assertThatThrownBy(() -> hold.call(same -> old.getBean(JdbcTemplate.class).update(LATE)))
        .isInstanceOf(StaleTokenException.class);
    old.getBean(Blocked.class).add(); // Is left out, or runs in a new time of leading.
    assertThat(old.getBean(JdbcTemplate.class).queryForObject("SELECT 1", Integer.class))
        .isEqualTo(1);
  }

  private static final String LATE = "UPDATE account SET balance = 0 WHERE id = 1";

  @Test
  void aJobThatIsBlockedInAStatementEndsBeforeTheNextLeaderBeginsAndItsLateWriteIsRefused()
      throws Exception {
    CompletableFuture<?>[] job = new CompletableFuture<?>[1];
    blockedWhenTheLeaseEnds((next, working) -> job[0] = working);
    job[0].get(60, TimeUnit.SECONDS);
    assertThat(Servers.balance(1)).isEqualTo(101);
  }

  @Test
  void aJobThatIsBlockedInAStatementCanBeCancelledSoThatTheNextLeaderNeedNotWait()
      throws Exception {
    blockedWhenTheLeaseEnds(
        (next, working) -> {
          Objects.requireNonNull(Blocked.statement).cancel();
          assertThatThrownBy(() -> working.get(60, TimeUnit.SECONDS))
              .hasStackTraceContaining("canceling statement");
          awaitLeading(next);
        });
    assertThat(Servers.balance(1)).isEqualTo(100);
  }

  @Configuration(proxyBeanMethods = false)
  static class Stubborn {
    static final CountDownLatch REFUSED = new CountDownLatch(1);

    /** Swallows interrupts and never asks whether it still leads. */
    @Bean
    FencedLeader leader(FencedLocks locks, JdbcFence fence, Direct direct) {
      return new FencedLeader(
          locks,
          fence,
          "job",
          hold -> {
            while (true) {
              try {
                direct.add();
                Thread.sleep(5);
              } catch (InterruptedException swallowed) {
                // Goes on.
              } catch (StaleTokenException e) {
                REFUSED.countDown();
                throw e;
              }
            }
          });
    }
  }

  @Test
  void workThatSwallowsInterruptsIsRefusedAsSoonAsThereIsANextLeader() {
    ConfigurableApplicationContext old = start(Stubborn.class, Direct.class);
    await().atMost(LONG).until(() -> Servers.balance(1) > 101);
    ConfigurableApplicationContext next = start(Leading.class, Job.class);
    await().atMost(LONG).until(() -> contenders(next, "job") == 2);
    Servers.endSession(old.getBean(CuratorFramework.class));
    awaitLeading(next);
    long balance = Servers.balance(1);
    pass(Stubborn.REFUSED);
    assertThat(Servers.balance(1)).isEqualTo(balance);
    next.close();
  }

  @Test
  void aLeaderThatWasRefusedLeadsAgainWithANewToken() {
    ConfigurableApplicationContext context = start(Leading.class, Job.class);
    awaitLeading(context);
    FencedHold refused = leader(context).hold().orElseThrow();
    Job job = context.getBean(Job.class);
    Servers.overtake(fence(context), "job");
    assertThatThrownBy(job::postNext).isInstanceOf(StaleTokenException.class);
    assertThat(refused.isLive()).isFalse();
    awaitLeading(context);
    assertThat(leader(context).hold().orElseThrow().token()).isGreaterThan(refused.token());
    job.postNext();
    assertThat(items()).isEqualTo(1);
  }

  @Test
  void scheduledMethodsRunUnderTheLeadersHold() {
    ConfigurableApplicationContext context = start(Leading.class, Job.class, Scheduling.class);
    await().atMost(LONG).until(() -> items() >= 3);
    long token = leader(context).hold().orElseThrow().token();
    assertThat(Servers.number("SELECT count(DISTINCT token) FROM item")).isEqualTo(1);
    assertThat(Servers.number("SELECT max(token) FROM item")).isEqualTo(token);
  }

  @Test
  void workOfTheLeaderJoinsItsHoldAndIsInterruptedAtTheStop() {
    List<String> events = new CopyOnWriteArrayList<>();
    ConfigurableApplicationContext context = start(Working.class, Events.class, Direct.class);
    context.getBean(Events.class).events = events;
    context.getBean(FencedLeader.class).start();
    await().atMost(LONG).until(() -> Servers.balance(1) == 101);
    context.close();
    assertThat(events).containsExactly("interrupted");
  }

  static class Events {
    volatile List<String> events = new CopyOnWriteArrayList<>();
  }

  static class Direct {
    final JdbcTemplate jdbc;

    Direct(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Fenced("job")
    @Transactional
    public void add() {
      jdbc.update("UPDATE account SET balance = balance + 1 WHERE id = 1");
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Working {
    @Bean
    FencedLeader leader(FencedLocks locks, JdbcFence fence, Events events, Direct direct) {
      return new FencedLeader(
          locks,
          fence,
          "job",
          hold -> {
            direct.add();
            try {
              new CountDownLatch(1).await();
            } catch (InterruptedException e) {
              events.events.add("interrupted");
            }
            return 0;
          });
    }
  }

  @Test
  void onShutdownTheWorkIsCommittedThenTheLockReleasedThenTheClientAndThePoolClosed()
      throws Exception {
    ConfigurableApplicationContext context = start(Leading.class, Job.class);
    awaitLeading(context);
    ConfigurableApplicationContext next = start(Leading.class, Job.class);
    await().atMost(LONG).until(() -> contenders(next, "job") == 2);
    CuratorFramework client = context.getBean(CuratorFramework.class);
    HikariDataSource pool = context.getBean(HikariDataSource.class);
    Job job = context.getBean(Job.class);
    Job.pause = new CountDownLatch(1);
    CompletableFuture<?> working =
        inBackground(
            () -> {
              job.postNext();
              return 0;
            });
    await().atMost(LONG).until(() -> Job.paused);
    CompletableFuture<?> closing =
        inBackground(
            () -> {
              context.close();
              return 0;
            });
    await().atMost(LONG).until(() -> leader(context).hold().isEmpty());
    job.postNext(); // Is left out: it would wait for the latch otherwise.

    assertThat(client.getState()).isEqualTo(CuratorFrameworkState.STARTED);
    assertThat(pool.isClosed()).isFalse();
    assertThat(leader(next).hold()).isEmpty();
    assertThat(closing).isNotDone();
    Job.pause.countDown();
    working.get(60, TimeUnit.SECONDS);
    closing.get(60, TimeUnit.SECONDS);
    assertThat(items()).isEqualTo(1);
    awaitLeading(next);
    assertThat(client.getState()).isEqualTo(CuratorFrameworkState.STOPPED);
    assertThat(pool.isClosed()).isTrue();
    context.close();
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoLeaders {
    @Bean
    FencedLeader one(FencedLocks locks, JdbcFence fence) {
      return new FencedLeader(locks, fence, "job");
    }

    @Bean
    FencedLeader two(FencedLocks locks, JdbcFence fence) {
      return new FencedLeader(locks, fence, "job");
    }
  }

  @Test
  void twoLeadersOfOneResourceAndAMethodWithoutOneAreRefusedAtStart() {
    assertThatThrownBy(() -> start(TwoLeaders.class))
        .rootCause()
        .hasMessageContaining("two FencedLeader beans for the lock path /fencing/job");
    assertThatThrownBy(() -> start(Job.class))
        .hasStackTraceContaining("there is no FencedLeader bean for \"job\"");
  }

  @Test
  void aLeaderCanBeStoppedAndStartedAgainWithAHigherToken() {
    ConfigurableApplicationContext context = start(Leading.class, Job.class);
    awaitLeading(context);
    long first = leader(context).hold().orElseThrow().token();
    leader(context).stop();
    assertThat(leader(context).isRunning()).isFalse();
    assertThat(leader(context).hold()).isEmpty();
    leader(context).start();
    awaitLeading(context);
    assertThat(leader(context).hold().orElseThrow().token()).isGreaterThan(first);
  }
}
