package dev.fencing.examples.bank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fencing.curator.FencedLease;
import dev.fencing.curator.FencingToken;
import dev.fencing.curator.InterProcessFencedMutex;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bank by HTTP. */
class TransferTest {

  private static final String LOCK = "/bank/account/";

  private final Bank bank = Bank.open();

  @AfterEach
  void noMoneyIsLostAndNoLockIsLeft() throws Exception {
    assertThat(bank.number("SELECT sum(cents) FROM account"))
        .isEqualTo(Bank.ACCOUNTS * Bank.OPENING);
    for (String account : bank.nodes("/bank/account")) {
      assertThat(bank.nodes(LOCK + account)).as(account).isEmpty();
    }
  }

  private String token(int application, long account) {
    return String.valueOf(
        bank.get(application, "/accounts/" + account).headers().getFirst("Fencing-Token"));
  }

  private Bank.Reply transfer(int application, long from, long to, long cents) {
    return bank.transfer(application, UUID.randomUUID(), from, to, cents, null);
  }

  @Test
  void aTransferIsDoneOnceHoweverOftenItIsAskedForAndByWhichProcess() {
    UUID id = UUID.randomUUID();

    assertThat(bank.transfer(0, id, 1, 2, 500, null).status()).isEqualTo(200);
    Bank.Reply again = bank.transfer(1, id, 1, 2, 500, null);

    assertThat(again.status()).isEqualTo(200);
    assertThat(again.text("cents")).isEqualTo("500");
    assertThat(bank.get(1, "/accounts/1").text("cents")).isEqualTo("9999500");
    assertThat(bank.cents(2)).isEqualTo(Bank.OPENING + 500);
    assertThat(bank.number("SELECT count(*) FROM transfer")).isEqualTo(1);
    assertThat(bank.transfer(0, id, 2, 1, 500, null).status()).isEqualTo(409);
    assertThat(bank.cents(2)).isEqualTo(Bank.OPENING + 500);
  }

  @Test
  void aRequestDecidedOnAnOldBalanceIs412WithResourceAndBothTokens() {
    transfer(0, 1, 2, 500);
    String seen = token(0, 1);
    transfer(1, 3, 1, 700);

    Bank.Reply refused = bank.transfer(0, UUID.randomUUID(), 1, 2, 100, seen);

    assertThat(refused.status()).isEqualTo(412);
    assertThat(refused.headers().getContentType()).hasToString("application/problem+json");
    FencingToken old = FencingToken.parse(seen);
    FencingToken present = FencingToken.parse(token(0, 1));
    assertThat(old.lockPath()).isEqualTo(LOCK + 1);
    assertThat(present.token()).isGreaterThan(old.token());
    assertThat(refused.text("resource")).isEqualTo("account/1");
    assertThat(refused.json().get("presentedToken")).isEqualTo(Long.toString(old.token()));
    assertThat(refused.json().get("storedToken")).isEqualTo(Long.toString(present.token()));
    assertThat(bank.cents(1)).isEqualTo(Bank.OPENING - 500 + 700);
    assertThat(bank.number("SELECT count(*) FROM transfer")).isEqualTo(2);
  }

  @Test
  void aRequestDecidedOnThePresentBalanceIsDoneAndARepeatOfItToo() {
    transfer(0, 1, 2, 500);
    UUID id = UUID.randomUUID();
    String seen = token(1, 1);

    assertThat(bank.transfer(0, id, 1, 2, 100, seen).status()).isEqualTo(200);
    assertThat(bank.transfer(1, id, 1, 2, 100, seen).status()).isEqualTo(200);

    assertThat(bank.cents(1)).isEqualTo(Bank.OPENING - 600);
  }

  @ParameterizedTest
  @ValueSource(strings = {"33", "33@/bank/account/2", "33@/other/account/1", "x@/bank/account/1"})
  void aTokenThatIsNoneOfThePayersLockIs400(String token) {
    Bank.Reply refused = bank.transfer(0, UUID.randomUUID(), 1, 2, 100, token);

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.text("detail")).startsWith("Fencing-Token");
    assertThat(bank.cents(1)).isEqualTo(Bank.OPENING);
  }

  @Test
  void whatCannotBeATransferIsRefusedBeforeThereIsALock() throws Exception {
    assertThat(transfer(0, 1, 99, 100).status()).isEqualTo(404);
    assertThat(transfer(0, 98, 1, 100).text("detail")).isEqualTo("there is no account 98");
    assertThat(transfer(0, 1, 1, 100).status()).isEqualTo(400);
    assertThat(transfer(0, 1, 2, 0).status()).isEqualTo(400);
    assertThat(bank.get(0, "/accounts/97").status()).isEqualTo(404);

    assertThat(bank.nodes("/bank/account")).doesNotContain("97", "98", "99");
    assertThat(bank.number("SELECT count(*) FROM fence WHERE resource LIKE 'account/9_'")).isZero();
  }

  @Test
  void whoHasNotEnoughPaysNothing() {
    assertThat(transfer(0, 1, 2, Bank.OPENING).status()).isEqualTo(200);

    Bank.Reply refused = transfer(1, 1, 2, 1);

    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.text("detail")).isEqualTo("account 1 has 0 cents, 1 were to be paid");
    assertThat(bank.cents(1)).isZero();
    assertThat(bank.number("SELECT count(*) FROM transfer")).isEqualTo(1);
  }

  @Test
  void anAccountThatSomebodyElseHoldsIs503AndNothingIsDone() throws Exception {
    try (CuratorFramework client =
        CuratorFrameworkFactory.newClient(bank.zookeeper(), 10_000, 10_000, new RetryOneTime(1))) {
      client.start();
      try (FencedLease lease = new InterProcessFencedMutex(client, LOCK + 2).acquireLease()) {
        assertThat(lease.isLive()).isTrue();

        Bank.Reply refused = transfer(0, 1, 2, 100);

        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.headers().getFirst("Retry-After")).isEqualTo("1");
        assertThat(bank.cents(1)).isEqualTo(Bank.OPENING);
      }
    }
    assertThat(transfer(0, 1, 2, 100).status()).isEqualTo(200);
  }

  @Test
  void aDatabaseThatDropsItsConnectionsIs503AndTheRepeatIsDoneOnce() throws Exception {
    UUID id = UUID.randomUUID();
    try (Connection inTheWay = bank.connect();
        Statement statement = inTheWay.createStatement()) {
      inTheWay.setAutoCommit(false);
      // The transfer waits in the database, past its check, until it is cut off.
      statement.execute("SELECT 1 FROM account WHERE id = 1 FOR UPDATE");
      CompletableFuture<Bank.Reply> request =
          CompletableFuture.supplyAsync(() -> bank.transfer(0, id, 1, 2, 100, null));
      String waiting = " FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> bank.number("SELECT count(*)" + waiting) == 1);
      bank.sql().execute("SELECT pg_terminate_backend(pid)" + waiting);
      Bank.Reply lost = request.get(60, TimeUnit.SECONDS);
      assertThat(lost.status()).as(lost.toString()).isEqualTo(503);
      inTheWay.rollback();
    }
    assertThat(bank.number("SELECT count(*) FROM transfer")).isZero();
    assertThat(bank.transfer(1, id, 1, 2, 100, null).status()).isEqualTo(200);
    assertThat(bank.cents(1)).isEqualTo(Bank.OPENING - 100);
  }
}
