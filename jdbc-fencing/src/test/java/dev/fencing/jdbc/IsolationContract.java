package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Nothing stale gets through on any isolation level: a transaction is right, or refused. A subclass
 * names the database.
 */
abstract class IsolationContract extends DatabaseTest {

  /** The standard's, or those that the database has. */
  List<String> levels() {
    return List.of("READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE");
  }

  /** The statement that sets the level of a session, without its name. */
  abstract String setLevel();

  /** A query of the row that is written later, or of another one where a read would lock it. */
  String firstRead(String level) {
    return "SELECT balance FROM account WHERE id = 1";
  }

  /** The levels on which a transaction that has read before the raise is refused. */
  abstract Set<String> refused();

  /** The levels on which one that has read before a row was written cannot claim it. */
  abstract Set<String> refusedInRowMode();

  @BeforeEach
  void createMore() throws SQLException {
    sql.run(
        "CREATE TABLE journal (id int)",
        "ALTER TABLE account ADD COLUMN fencing_token bigint",
        "ALTER TABLE account ADD COLUMN claim_id bigint");
  }

  @Test
  void aCheckBehindAReadIsCorrectOrRefused() throws Exception {
    onEachLevel(this::checkBehindARead);
  }

  @Test
  void aClaimBehindAReadIsCorrectOrRefused() throws Exception {
    onEachLevel(this::claimBehindARead);
  }

  @Test
  void aCheckThatWaitedForARaiseGoesByWhatBecameOfIt() throws Exception {
    onEachLevel(this::checkThatWaited);
  }

  private interface Course {
    void run(String level) throws Exception;
  }

  /** In a loop, since tables of their own for each level would take most of the time. */
  private void onEachLevel(Course course) throws Exception {
    for (String level : levels()) {
      sql.run(
          "DELETE FROM fence",
          "DELETE FROM journal",
          "UPDATE account SET balance = 100, fencing_token = NULL, claim_id = NULL");
      try {
        course.run(level);
      } catch (Exception | AssertionError e) {
        throw new AssertionError("at " + level, e);
      }
    }
  }

  private void checkBehindARead(String level) throws SQLException {
    FencedResource old = fence.raise("ledger", 33);
    boolean refused = false;
    try (HikariDataSource pool = pool(level);
        Connection early = pool.getConnection()) {
      early.setAutoCommit(false);
      Sql.number(early, firstRead(level)); // A snapshot, if there is one.
      old.inTransaction(c -> FenceContract.addToBalance(c, 5));
      FencedResource current = fence.raise("ledger", 34);
      try {
        current.check(early);
        long read = Sql.number(early, "SELECT balance FROM account WHERE id = 1");
        // Elsewhere, so that it is not the row itself that shows a stale read.
        Sql.execute(early, "INSERT INTO journal VALUES (" + read + ")");
        early.commit();
      } catch (SQLException | FencingException e) {
        refused = true;
      }
      assertThat(current.isUsable()).isTrue();
      // In a transaction of its own it is right everywhere.
      JdbcFence.of(pool).attach(current.toText()).inTransaction(c -> addOneToWhatIsRead(c));
    }
    assertThat(balance()).isEqualTo(106);
    assertThat(sql.text("SELECT max(id) FROM journal")).isEqualTo(refused ? null : "105");
    assertThat(refused).isEqualTo(refused().contains(level));
  }

  private void claimBehindARead(String level) throws SQLException {
    FencedTable account =
        FencedTable.builder(dataSource, "account").claimColumn("claim_id").build();
    FencedRow old = account.claim(33, 1);
    boolean refused = false;
    try (HikariDataSource pool = pool(level);
        Connection early = pool.getConnection()) {
      early.setAutoCommit(false);
      Sql.number(early, firstRead(level));
      old.write(Map.of("balance", old.getLong("balance") + 5));
      try {
        FencedRow current = account.on(early).claim(34, 1);
        current.write(Map.of("balance", current.getLong("balance") + 1));
        early.commit();
      } catch (SQLException | FencingException e) {
        refused = true;
      }
      FencedRow last =
          FencedTable.builder(pool, "account").claimColumn("claim_id").build().claim(35, 1);
      last.write(Map.of("balance", last.getLong("balance") + 1));
    }
    assertThat(old.tryWrite(Map.of("balance", 5))).isEqualTo(UpdateOutcome.STALE);
    assertThat(balance()).isEqualTo(refused ? 106 : 107);
    assertThat(refused).isEqualTo(refusedInRowMode().contains(level));
  }

  private void checkThatWaited(String level) throws Exception {
    try (HikariDataSource pool = pool(level);
        Connection raiser = dataSource.getConnection()) {
      FencedResource ledger = JdbcFence.of(pool).raise("ledger", 33);
      raiser.setAutoCommit(false);

      CompletableFuture<Integer> passed = addBehindARaise(ledger, raiser);
      raiser.rollback();
      assertThat(passed.get(30, TimeUnit.SECONDS)).isEqualTo(1);

      CompletableFuture<Integer> stale = addBehindARaise(ledger, raiser);
      raiser.commit();
      assertThatThrownBy(() -> stale.get(30, TimeUnit.SECONDS))
          .hasCauseInstanceOf(StaleTokenException.class);
    }
    assertThat(balance()).isEqualTo(101);
  }

  private CompletableFuture<Integer> addBehindARaise(FencedResource ledger, Connection raiser)
      throws SQLException {
    Sql.execute(raiser, "UPDATE fence SET token = 34, raise_id = 1 WHERE resource = 'ledger'");
    CompletableFuture<Integer> write =
        Background.start(() -> ledger.inTransaction(IsolationContract::addOneToWhatIsRead));
    sql.awaitLockWaits(1);
    return write;
  }

  private static int addOneToWhatIsRead(Connection connection) throws SQLException {
    long read = Sql.number(connection, "SELECT balance FROM account WHERE id = 1");
    return FenceContract.setBalance(connection, read + 1);
  }

  private HikariDataSource pool(String level) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(dataSource);
    config.setMaximumPoolSize(2);
    config.setMinimumIdle(0);
    config.setConnectionInitSql(setLevel() + level);
    return new HikariDataSource(config);
  }
}
