package dev.fencing.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** The servers end sessions while a request works under its hold: it is rolled back, never 200. */
class EndedSessionTest extends SpringTest {

  static class Ledger {
    final JdbcTemplate jdbc;

    Ledger(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Fenced("ledger")
    @Transactional
    public void post(Runnable before, Runnable between) {
      before.run();
      jdbc.update("UPDATE account SET balance = balance + 1 WHERE id = 1");
      between.run();
      jdbc.update("UPDATE account SET balance = balance + 1 WHERE id = 2");
    }
  }

  @RestController
  static class Requests {
    final Ledger ledger;
    Runnable before = () -> {};
    Runnable between = () -> {};

    Requests(Ledger ledger) {
      this.ledger = ledger;
    }

    @PostMapping("/post")
    String post() {
      ledger.post(before, between);
      return "done";
    }
  }

  /** What an application has for failures of its database. */
  @RestControllerAdvice
  static class OfTheApplication {
    @ExceptionHandler({DataAccessException.class, TransactionException.class})
    ResponseEntity<String> failed(Exception e) {
      return ResponseEntity.status(HttpStatus.BAD_GATEWAY).body("the database failed");
    }
  }

  private ConfigurableApplicationContext context;
  private Requests requests;

  @BeforeEach
  void start() {
    context = start(Ledger.class, Requests.class);
    requests = context.getBean(Requests.class);
  }

  private HttpStatus answer() throws Exception {
    MockMvc mvc =
        MockMvcBuilders.standaloneSetup(requests)
            .setControllerAdvice(new OfTheApplication(), new FencingProblems())
            .build();
    return HttpStatus.valueOf(mvc.perform(post("/post")).andReturn().getResponse().getStatus());
  }

  private static List<Long> balances() {
    return List.of(Servers.balance(1), Servers.balance(2));
  }

  private void endTheLease() {
    FencedHold hold = FencedHold.current();
    Servers.endSession(context.getBean(CuratorFramework.class));
    await().atMost(LONG).until(() -> !hold.isLive());
  }

  private void nextHolderPosts() {
    inBackground(
            () -> {
              start(Ledger.class).getBean(Ledger.class).post(() -> {}, () -> {});
              return 0;
            })
        .join();
  }

  @Test
  void aLeaseThatEndsBeforeTheFirstStatementIs412() throws Exception {
    requests.before =
        () -> {
          endTheLease();
          nextHolderPosts();
        };
    assertThat(answer()).isEqualTo(HttpStatus.PRECONDITION_FAILED);
    assertThat(balances()).containsExactly(101L, 201L);
  }

  @Test
  void aTransactionThatHasCheckedCommitsBeforeTheNextHolderReads() throws Exception {
    List<CompletableFuture<?>> second = new ArrayList<>();
    requests.between =
        () -> {
          endTheLease();
          second.add(
              inBackground(
                  () -> {
                    nextHolderPosts();
                    return 0;
                  }));
          await() // Its raise waits for this transaction.
              .atMost(LONG)
              .until(
                  () ->
                      Servers.number(
                              "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
                          > 0);
        };
    assertThat(answer()).isEqualTo(HttpStatus.OK);
    second.get(0).get(60, TimeUnit.SECONDS);
    assertThat(balances()).containsExactly(102L, 202L);
  }

  @Test
  void aTransactionThatTheServerHasEndedForAnOvertakenHolderIs412() throws Exception {
    requests.between =
        () -> {
          endTheLease();
          Servers.killSessions("state = 'idle in transaction'");
          nextHolderPosts();
        };
    assertThat(answer()).isEqualTo(HttpStatus.PRECONDITION_FAILED);
    assertThat(balances()).containsExactly(101L, 201L);
  }

  @Test
  void aTransactionThatTheServerHasEndedForNoReasonOfTheFenceIsTheApplicationsToAnswer()
      throws Exception {
    requests.between = () -> Servers.killSessions("state = 'idle in transaction'");
    assertThat(answer()).isEqualTo(HttpStatus.BAD_GATEWAY);
    assertThat(balances()).containsExactly(100L, 200L);
    assertThat(contenders(context, "ledger")).isZero();
  }

  @Test
  void aSessionThatIsGoneAtTheCheckIs503() throws Exception {
    requests.before = () -> Servers.killSessions("true");
    assertThat(answer()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
    assertThat(balances()).containsExactly(100L, 200L);
  }

  @Test
  void anApplicationThatIsClosedDuringTheWorkRollsBackAndLetsTheLockGo() throws Exception {
    requests.between = context::close;
    assertThat(answer()).isEqualTo(HttpStatus.BAD_GATEWAY);
    assertThat(balances()).containsExactly(100L, 200L);
    nextHolderPosts();
    assertThat(balances()).containsExactly(101L, 201L);
  }
}
