package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fencing.fixtures.Fault;
import dev.fencing.fixtures.MariaDbServer;
import dev.fencing.fixtures.TcpProxy;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** COMMIT on MariaDB whose answer never comes, or tells nothing of the transaction. */
class MariaDbLostCommitTest extends DatabaseTest {

  private static final Duration LONG = Duration.ofSeconds(30);

  /** The command alone: READ COMMITTED holds the word too. */
  private static final String COMMIT = "\003COMMIT";

  private TcpProxy proxy;
  private JdbcFence proxied;
  private FencedTable table;

  @BeforeAll
  static void needsTheServer() {
    assumeTrue(MariaDbServer.shared().isPresent(), "no MariaDB for this kind of machine");
  }

  private static MariaDbServer server() {
    return MariaDbServer.shared().orElseThrow();
  }

  @Override
  DataSource dataSource() {
    return server().dataSource();
  }

  @BeforeEach
  void startProxy() throws IOException, SQLException {
    sql.run("ALTER TABLE account ADD fencing_token bigint, ADD claim_id bigint");
    proxy = TcpProxy.to(server().port());
    proxied = JdbcFence.of(server().dataSource(proxy.port()));
    table =
        FencedTable.builder(server().dataSource(proxy.port()), "account")
            .claimColumn("claim_id")
            .build();
  }

  @AfterEach
  void stopProxy() throws IOException {
    proxy.close();
  }

  @Test
  void aLostAnswerEndsTheHandleAndARenewedOneReadsTheTruth() throws Exception {
    FencedResource ledger = proxied.raise("ledger", 33);
    Fault lost = proxy.dropReplyTo(COMMIT);

    isUnknown(() -> ledger.inTransaction(c -> FenceContract.setBalance(c, 5)));
    lost.await(LONG);

    isUnknown(() -> ledger.inTransaction(c -> FenceContract.setBalance(c, 6)));
    assertThat(ledger.isUsable()).isFalse();
    FencedResource renewed = ledger.renew();
    long read = renewed.inTransaction(c -> Sql.number(c, "SELECT balance FROM account"));
    assertThat(read).as("it was committed all the same").isEqualTo(5);
    renewed.inTransaction(c -> FenceContract.setBalance(c, read + 1));
    assertThat(balance()).isEqualTo(6);
  }

  @Test
  void aLostAnswerEndsTheHandleOfARowAndANewClaimReadsTheTruth() throws Exception {
    FencedRow row = table.claim(33, 1L);
    Fault lost = proxy.dropReplyTo(COMMIT);

    isUnknown(() -> row.write(Map.of("balance", 5)));
    lost.await(LONG);

    assertThat(row.isUsable()).isFalse();
    FencedRow again = table.claim(33, 1L);
    assertThat(again.getLong("balance")).as("it was committed all the same").isEqualTo(5);
    again.write(Map.of("balance", 6));
    assertThat(balance()).isEqualTo(6);
  }

  @Test
  void aSessionThatIsKilledBesideItsCommitLeavesTheOutcomeUnknown() throws Exception {
    FencedResource ledger = proxied.raise("ledger", 33);
    killBesideCommit(() -> ledger.inTransaction(c -> FenceContract.setBalance(c, 5)));
    assertThat(ledger.isUsable()).isFalse();
    ledger.renew().inTransaction(c -> FenceContract.setBalance(c, 6));
    assertThat(balance()).isEqualTo(6);
  }

  @Test
  void aSessionThatIsKilledBesideTheCommitOfARowLeavesTheOutcomeUnknown() throws Exception {
    FencedRow row = table.claim(33, 1L);
    killBesideCommit(() -> row.write(Map.of("balance", 5)));
    assertThat(row.isUsable()).isFalse();
    table.claim(33, 1L).write(Map.of("balance", 6));
    assertThat(balance()).isEqualTo(6);
  }

  /** The client learns that its session is gone, and nothing of the transaction. */
  private void killBesideCommit(ThrowingCallable write) throws Exception {
    String sessions =
        " FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()";
    Awaitility.await().atMost(LONG).until(() -> sql.number("SELECT count(*)" + sessions) == 0);
    Fault inFlight = proxy.hold(COMMIT);
    CompletableFuture<Boolean> written =
        Background.start(
            () -> {
              isUnknown(write);
              return true;
            });
    inFlight.await(LONG);
    sql.run("KILL " + sql.number("SELECT id" + sessions));
    Awaitility.await().atMost(LONG).until(() -> sql.number("SELECT count(*)" + sessions) == 0);
    inFlight.release();
    assertThat(written.get(30, TimeUnit.SECONDS)).isTrue();
  }

  private static void isUnknown(ThrowingCallable write) {
    assertThatThrownBy(write).isInstanceOf(UnknownOutcomeException.class);
  }
}
