package dev.fencing.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.StaleTokenException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.annotation.Retryable;
import org.springframework.retry.support.RetryTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Spring Retry with its defaults, which try again whatever was thrown. */
class RetryTest extends SpringTest {

  @Configuration(proxyBeanMethods = false)
  @EnableRetry(proxyTargetClass = true)
  static class Retrying {}

  static class Ledger {
    static final AtomicInteger CALLS = new AtomicInteger();
    final JdbcTemplate jdbc;
    final JdbcFence fence;

    Ledger(JdbcTemplate jdbc, JdbcFence fence) {
      this.jdbc = jdbc;
      this.fence = fence;
    }

    @Retryable(backoff = @Backoff(delay = 1))
    @Fenced("ledger")
    @Transactional
    public void stale() {
      CALLS.incrementAndGet();
      Servers.overtake(fence, "ledger");
      jdbc.update("UPDATE account SET balance = 1");
    }

    @Retryable(backoff = @Backoff(delay = 1))
    @Fenced("ledger")
    @Transactional
    public void failing() {
      CALLS.incrementAndGet();
      throw new IllegalStateException("something else");
    }
  }

  @Test
  void aStaleTokenIsTriedOnceAndEverythingElseAsOftenAsEver() {
    Boot.application()
        .withConfiguration(AutoConfigurations.of(FencingRetryAutoConfiguration.class))
        .withUserConfiguration(Retrying.class)
        .withBean(Ledger.class)
        .run(
            context -> {
              Ledger ledger = context.getBean(Ledger.class);
              Ledger.CALLS.set(0);
              assertThatThrownBy(ledger::stale).isInstanceOf(StaleTokenException.class);
              assertThat(Ledger.CALLS).hasValue(1);
              Ledger.CALLS.set(0);
              assertThatThrownBy(ledger::failing).hasMessage("something else");
              assertThat(Ledger.CALLS).hasValue(3);
            });
    assertThat(Servers.balance(1)).isEqualTo(100);
  }

  @Test
  void aDeadHandleIsRefusedEveryTimeWithoutAskingTheDatabaseAgain() {
    Boot.application()
        .run(
            context -> {
              JdbcFence fence = context.getBean(JdbcFence.class);
              AtomicInteger calls = new AtomicInteger();
              RetryTemplate retry = RetryTemplate.builder().maxAttempts(4).fixedBackoff(1).build();
              FencedTemplate template = context.getBean(FencedTemplate.class);
              assertThatThrownBy(
                      () ->
                          template.run(
                              "ledger",
                              hold -> {
                                Servers.overtake(fence, "ledger");
                                return retry.execute(
                                    attempt -> {
                                      calls.incrementAndGet();
                                      return template.execute(
                                          "ledger",
                                          again ->
                                              context
                                                  .getBean(JdbcTemplate.class)
                                                  .update("UPDATE account SET balance = 1"));
                                    });
                              }))
                  .isInstanceOf(StaleTokenException.class);
              assertThat(calls).hasValue(4);
            });
    assertThat(Servers.balance(1)).isEqualTo(100);
  }
}
