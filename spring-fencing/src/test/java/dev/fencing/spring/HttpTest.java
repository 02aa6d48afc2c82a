package dev.fencing.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.jdbc.FencedTable;
import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.RowUpdate;
import dev.fencing.jdbc.StaleTokenException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** What is refused is never answered 200, by Spring MVC nor by WebFlux. */
class HttpTest extends SpringTest {

  @RestController
  static class Requests {
    final FencedTemplate template;
    final JdbcTemplate jdbc;
    final JdbcFence fence;
    final HikariDataSource pool;

    Requests(FencedTemplate template, JdbcTemplate jdbc, JdbcFence fence, HikariDataSource pool) {
      this.template = template;
      this.jdbc = jdbc;
      this.fence = fence;
      this.pool = pool;
    }

    @PostMapping("/stale")
    int stale() {
      return template.execute(
          "ledger",
          hold -> {
            Servers.overtake(fence, "ledger");
            return jdbc.update("UPDATE account SET balance = 1");
          });
    }

    @PostMapping("/wrapped")
    int wrapped() {
      try {
        return stale();
      } catch (StaleTokenException e) {
        throw new IllegalStateException("wrapped", new IllegalStateException("twice", e));
      }
    }

    @PostMapping("/batch")
    int batch() {
      FencedTable accounts = FencedTable.builder(pool, "account").key("id").build();
      accounts.overwrite(7, Map.of("balance", 2), 2);
      accounts.overwriteAll(
          3, List.of(RowUpdate.of(Map.of("balance", 1), 9), RowUpdate.of(Map.of("balance", 1), 2)));
      return 0;
    }

    @PostMapping("/missing")
    int missing() {
      return template.execute(
          "ledger",
          hold -> {
            Servers.SQL.execute("DELETE FROM fence");
            return jdbc.update("UPDATE account SET balance = 1");
          });
    }

    @PostMapping("/swallowed")
    int swallowed() {
      return template.execute(
          "ledger",
          hold -> {
            try {
              return stale();
            } catch (StaleTokenException e) {
              return 0;
            }
          });
    }

    @PostMapping("/busy")
    int busy() throws Exception {
      return template.withWait(java.time.Duration.ZERO).run("ledger", hold -> 1);
    }
  }

  /** What applications have: one answer for everything. */
  @RestControllerAdvice
  static class CatchAll {
    @ExceptionHandler
    ResponseEntity<String> all(Exception e) {
      return ResponseEntity.status(HttpStatus.I_AM_A_TEAPOT).body("caught all");
    }
  }

  private ConfigurableApplicationContext context;
  private MockMvc mvc;
  private WebTestClient flux;
  private final CountDownLatch end = new CountDownLatch(1);

  @BeforeEach
  void start() {
    context = shared(Requests.class);
    Requests requests = context.getBean(Requests.class);
    mvc =
        MockMvcBuilders.standaloneSetup(requests)
            .setControllerAdvice(new CatchAll(), new FencingProblems())
            .build();
    flux =
        WebTestClient.bindToController(requests)
            .controllerAdvice(new CatchAll(), new FencingProblems())
            .build();
  }

  @AfterEach
  void letGo() {
    end.countDown();
  }

  @Test
  void aStaleTokenIs412WithResourceAndTokensAlsoAsACauseOfACause() throws Exception {
    for (String path : List.of("/stale", "/wrapped")) {
      mvc.perform(post(path))
          .andExpect(status().isPreconditionFailed())
          .andExpect(jsonPath("$.title").value("Stale fencing token"))
          .andExpect(jsonPath("$.resource").value("ledger"))
          .andExpect(jsonPath("$.presentedToken").isString())
          .andExpect(jsonPath("$.storedToken").value(stored()));
      flux.post()
          .uri(path)
          .exchange()
          .expectStatus()
          .isEqualTo(HttpStatus.PRECONDITION_FAILED)
          .expectBody()
          .jsonPath("$.resource")
          .isEqualTo("ledger")
          .jsonPath("$.storedToken")
          .isEqualTo(stored());
    }
    assertThat(Servers.balance(1)).isEqualTo(100);
  }

  @Test
  void aRefusalThatTheWorkHasSwallowedIs412() throws Exception {
    mvc.perform(post("/swallowed")).andExpect(status().isPreconditionFailed());
    assertThat(Servers.balance(1)).isEqualTo(100);
  }

  @Test
  void aLostFenceIs500AndNoAnswerNamesHostsOrStatements() throws Exception {
    mvc.perform(post("/missing"))
        .andExpect(status().isInternalServerError())
        .andExpect(jsonPath("$.detail").value("This was not done."));
    assertThat(Servers.balance(1)).isEqualTo(100);
    mvc.perform(post("/stale"))
        .andExpect(status().isPreconditionFailed())
        .andExpect(
            result -> assertThat(result.getResponse().getContentAsString()).doesNotContain("pid"));
  }

  private static String stored() {
    return Long.toString(Servers.number("SELECT token FROM fence WHERE resource = 'ledger'"));
  }

  @Test
  void aBatchWithAStaleRowIs412WhateverItsFirstRefusalIs() throws Exception {
    mvc.perform(post("/batch")).andExpect(status().isPreconditionFailed());
    assertThat(Servers.balance(2)).isEqualTo(2);
  }

  @Test
  void aBusyLockIs503AndSaysWhenToComeBack() throws Exception {
    CountDownLatch holding = new CountDownLatch(1);
    var holder =
        inBackground(
            () ->
                context
                    .getBean(FencedTemplate.class)
                    .run(
                        "ledger",
                        hold -> {
                          holding.countDown();
                          pass(end);
                          return 0;
                        }));
    pass(holding);
    mvc.perform(post("/busy"))
        .andExpect(status().isServiceUnavailable())
        .andExpect(header().string("Retry-After", "1"));
    flux.post()
        .uri("/busy")
        .exchange()
        .expectStatus()
        .isEqualTo(HttpStatus.SERVICE_UNAVAILABLE)
        .expectHeader()
        .valueEquals("Retry-After", "1");
    end.countDown();
    holder.get();
  }

  @Test
  void theAnswersAreConfiguredInWebApplicationsOnly() {
    AutoConfigurations web = AutoConfigurations.of(FencingWebAutoConfiguration.class);
    new WebApplicationContextRunner()
        .withConfiguration(web)
        .run(app -> assertThat(app.getBeanNamesForType(FencingProblems.class)).hasSize(1));
    new ReactiveWebApplicationContextRunner()
        .withConfiguration(web)
        .run(app -> assertThat(app.getBeanNamesForType(FencingProblems.class)).hasSize(1));
    new WebApplicationContextRunner()
        .withConfiguration(web)
        .withPropertyValues("fencing.web.enabled=false")
        .run(app -> assertThat(app.getBeanNamesForType(FencingProblems.class)).isEmpty());
    Boot.application()
        .withConfiguration(web)
        .run(app -> assertThat(app.getBeanNamesForType(FencingProblems.class)).isEmpty());
  }
}
