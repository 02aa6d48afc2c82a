package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What row mode does on every database; a subclass names the database. */
abstract class FencedTableContract {

  private static final Duration LIMIT = Duration.ofMillis(4321);

  final DataSource dataSource = dataSource();
  final Sql sql = new Sql(dataSource);

  abstract DataSource dataSource();

  /** Counts transactions that wait for a lock. */
  abstract String lockWaits();

  /** Counts transactions that were begun and not ended. */
  abstract String openTransactions();

  /** Asks how long the session waits for a lock. */
  abstract String lockTimeout();

  /** The verdict on a write of what is there already. */
  UpdateOutcome unchanged() {
    return UpdateOutcome.APPLIED;
  }

  /** What a table needs behind its columns. */
  String tableOptions() {
    return "";
  }

  @BeforeEach
  void createTable() throws SQLException {
    sql.run(
        "CREATE TABLE account (id bigint PRIMARY KEY, balance bigint, note varchar(200),"
            + " fencing_token bigint, fencing_generation bigint, claim_id bigint,"
            + " deleted boolean)"
            + tableOptions(),
        "INSERT INTO account (id, balance) VALUES (1, 100)");
  }

  @AfterEach
  void leaveNothing() throws SQLException {
    try {
      // MariaDB gives an answer that is younger than 100 ms again.
      Awaitility.await("no transaction left open")
          .atMost(Duration.ofSeconds(30))
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(150))
          .until(() -> sql.number(openTransactions()) == 0);
    } finally {
      sql.run("DROP TABLE IF EXISTS account", "DROP TABLE IF EXISTS line");
    }
  }

  FencedTableBuilder builder() {
    return FencedTable.builder(dataSource, "account");
  }

  private final FencedTable account = builder().build();

  @Test
  void aClaimRaisesTheFenceAndReadsTheRow() throws SQLException {
    FencedRow row = account.claim(33, 1L);

    assertThat(fence()).isEqualTo(33);
    assertThat(row.getLong("balance")).isEqualTo(100);
    assertThat(row.get("note")).isNull();
    assertThat(row.token()).isEqualTo(33);
    assertThat(row.key()).containsExactly(1L);
  }

  @Test
  void aClaimedRowIsWrittenAsOftenAsTheHolderLikes() throws SQLException {
    FencedRow row = account.claim(33, 1L);

    row.write(Map.of("balance", row.getLong("balance") + 1));
    row.write(Map.of("balance", row.getLong("balance") + 1));

    assertThat(balance()).isEqualTo(102);
    assertThat(fence()).isEqualTo(33);
  }

  @Test
  void aLateWriteOfAnOlderHolderIsRefusedWithTableKeyAndBothTokens() throws SQLException {
    FencedRow old = account.claim(33, 1L);
    FencedRow row = account.claim(34, 1L);

    StaleTokenException stale =
        catchThrowableOfType(StaleTokenException.class, () -> old.write(Map.of("balance", 5)));

    assertThat(stale).hasMessageContainingAll("account[id=1]", "33", "34", "newer holder");
    assertThat(stale.resource()).isEqualTo("account[id=1]");
    assertThat(stale.presentedToken()).isEqualTo(33);
    assertThat(stale.storedToken()).isEqualTo(34);
    assertThat(old.isUsable()).isFalse();
    assertThat(old.tryWrite(Map.of("balance", 6))).isEqualTo(UpdateOutcome.STALE);
    row.write(Map.of("balance", 7));
    assertThat(balance()).isEqualTo(7);
  }

  @Test
  void aLateWriteIsRefusedBeforeTheNewHolderHasWrittenAnything() throws SQLException {
    FencedRow old = account.claim(33, 1L);
    assertThat(account.claim(34, 1L).isUsable()).isTrue();

    assertThat(old.tryWrite(Map.of("balance", 5))).isEqualTo(UpdateOutcome.STALE);
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aClaimWaitsForAnOpenWriteAndReadsWhatItHasCommitted() throws Exception {
    try (Connection other = dataSource.getConnection()) {
      other.setAutoCommit(false);
      Sql.execute(other, "UPDATE account SET balance = 7 WHERE id = 1");
      CompletableFuture<FencedRow> claim = Background.start(() -> account.claim(34, 1L));
      awaitLockWait();
      other.commit();

      assertThat(claim.get(30, TimeUnit.SECONDS).getLong("balance")).isEqualTo(7);
    }
  }

  @Test
  void anOlderClaimThatWaitsBehindANewerOneIsStale() throws Exception {
    FencedTable claimed = builder().claimColumn("claim_id").build();
    try (Connection newer = dataSource.getConnection()) {
      newer.setAutoCommit(false);
      FencedRow row = claimed.on(newer).claim(34, 1L);
      CompletableFuture<UpdateOutcome> old =
          Background.start(() -> claimed.tryOverwrite(33, Map.of("balance", 5), 1L));
      awaitLockWait();
      row.write(Map.of("balance", 8));
      newer.commit();

      assertThat(old.get(30, TimeUnit.SECONDS)).isEqualTo(UpdateOutcome.STALE);
    }
    assertThat(balance()).isEqualTo(8);
  }

  @Test
  void withoutAClaimColumnATokenClaimsARowOnce() {
    assertThat(account.claim(33, 1L).isUsable()).isTrue();

    assertThatThrownBy(() -> account.claim(33, 1L).isUsable())
        .isInstanceOf(StaleTokenException.class)
        .hasMessageContainingAll("account[id=1]", "33", "claimColumn", "keep the first handle");
  }

  @Test
  void withAClaimColumnTheNewestClaimOfATokenEndsTheOneBefore() throws SQLException {
    FencedTable claimed = builder().claimColumn("claim_id").build();
    FencedRow first = claimed.claim(33, 1L);
    FencedRow second = claimed.claim(33, 1L);
    second.write(Map.of("balance", second.getLong("balance") + 1));

    assertThatThrownBy(() -> first.write(Map.of("balance", first.getLong("balance") + 1)))
        .isInstanceOf(StaleTokenException.class)
        .hasMessageContaining("newest claim");
    assertThat(balance()).isEqualTo(101);
  }

  @Test
  void withAClaimColumnABlindWriteOfTheSameTokenEndsTheHandle() throws SQLException {
    FencedTable claimed = builder().claimColumn("claim_id").build();
    FencedRow row = claimed.claim(33, 1L);
    claimed.overwrite(33, Map.of("balance", 50), 1L);

    assertThat(row.tryWrite(Map.of("balance", 101))).isEqualTo(UpdateOutcome.STALE);
    assertThat(balance()).isEqualTo(50);
  }

  @Test
  void oneTokenOverwritesARowAgainAndAgainAndALowerOneDoesNot() throws SQLException {
    account.overwrite(33, Map.of("balance", 1), 1L);
    account.overwrite(33, Map.of("balance", 2, "note", "again"), 1L);

    assertThatThrownBy(() -> account.overwrite(32, Map.of("balance", 3), 1L))
        .isInstanceOf(StaleTokenException.class)
        .hasMessageContainingAll("account[id=1]", "32", "33");
    assertThat(account.tryOverwrite(32, Map.of("balance", 3), 1L)).isEqualTo(UpdateOutcome.STALE);
    assertThat(balance()).isEqualTo(2);
    assertThat(sql.text("SELECT note FROM account")).isEqualTo("again");
  }

  @Test
  void aMissingRowIsMissingAndNotStale() throws SQLException {
    assertThat(account.tryOverwrite(33, Map.of("balance", 1), 2L)).isEqualTo(UpdateOutcome.MISSING);
    assertThatThrownBy(() -> account.overwrite(33, Map.of("balance", 1), 2L))
        .isInstanceOf(FenceMissingException.class)
        .hasMessageContainingAll("account[id=2]", "33", "no such row");
    assertThatThrownBy(() -> account.claim(33, 2L).isUsable())
        .isInstanceOf(FenceMissingException.class);
    assertThat(sql.number("SELECT count(*) FROM account")).isEqualTo(1);
  }

  @Test
  void aWriteThatChangesNothingIsASuccess() throws SQLException {
    FencedRow row = account.claim(33, 1L);

    assertThat(row.tryWrite(Map.of("balance", 100))).isEqualTo(unchanged());
    assertThat(account.tryOverwrite(33, Map.of("balance", 100), 1L)).isEqualTo(unchanged());
    assertThat(account.tryUpsert(33, Map.of("balance", 100), 1L)).isEqualTo(unchanged());
    row.write(Map.of("balance", 100));
    account.overwriteAll(33, List.of(RowUpdate.of(Map.of("balance", 100), 1L)));
    assertThat(account.tryOverwrite(32, Map.of("balance", 100), 1L)).isEqualTo(UpdateOutcome.STALE);
  }

  @Test
  void strictTakesOneWriteForEachToken() throws SQLException {
    FencedTable strict = builder().strict().build();
    strict.overwrite(33, Map.of("balance", 1), 1L);

    assertThat(strict.tryOverwrite(33, Map.of("balance", 2), 1L)).isEqualTo(UpdateOutcome.STALE);
    assertThatThrownBy(() -> strict.upsert(33, Map.of("balance", 2), 1L))
        .isInstanceOf(StaleTokenException.class)
        .hasMessageContaining("one write per token");
    strict.overwrite(34, Map.of("balance", 3), 1L);
    assertThat(balance()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 0x1_0000_0004L, (1L << 53) + 1, 1L << 62, Long.MAX_VALUE})
  void everyPositiveTokenIsKeptExactly(long token) throws SQLException {
    account.overwrite(token, Map.of("balance", 1), 1L);

    assertThat(fence()).isEqualTo(token);
    assertThat(account.tryOverwrite(token - 1, Map.of("balance", 2), 1L))
        .isEqualTo(UpdateOutcome.STALE);
  }

  @Test
  void aFenceOfNullIsLowerThanEveryTokenAndANullGenerationIsZero() throws SQLException {
    FencedTable later = builder().generationColumn("fencing_generation", 0).build();
    sql.run("UPDATE account SET fencing_token = 500");

    assertThat(later.tryOverwrite(400, Map.of("balance", 1), 1L)).isEqualTo(UpdateOutcome.STALE);
    sql.run("UPDATE account SET fencing_token = NULL");
    later.overwrite(1, Map.of("balance", 2), 1L);
    assertThat(balance()).isEqualTo(2);
  }

  @Test
  void aHigherGenerationWinsOverAHigherToken() throws SQLException {
    FencedTable before = builder().generationColumn("fencing_generation", 0).build();
    FencedTable rebuilt = builder().generationColumn("fencing_generation", 1).build();
    FencedRow old = before.claim(1_000, 1L);

    FencedRow row = rebuilt.claim(4, 1L);

    assertThatThrownBy(() -> old.write(Map.of("balance", 5)))
        .isInstanceOf(StaleTokenException.class)
        .hasMessageContainingAll("1000", "4 of generation 1");
    row.write(Map.of("balance", 6));
    assertThat(rebuilt.tryOverwrite(3, Map.of("balance", 7), 1L)).isEqualTo(UpdateOutcome.STALE);
    assertThat(balance()).isEqualTo(6);
  }

  @Test
  void anUpsertInsertsThenUpdatesAndRefusesALowerToken() throws SQLException {
    account.upsert(33, Map.of("balance", 1, "note", "new"), 2L);
    account.upsert(33, Map.of("balance", 2), 2L);

    assertThat(account.tryUpsert(32, Map.of("balance", 3), 2L)).isEqualTo(UpdateOutcome.STALE);
    assertThat(
            sql.text(
                "SELECT concat(balance, ' ', note, ' ', fencing_token) FROM account WHERE id = 2"))
        .isEqualTo("2 new 33");
  }

  @ParameterizedTest
  @ValueSource(longs = {33, 34})
  void ofTwoFirstInsertsAtOnceTheHigherTokenWins(long first) throws Exception {
    long second = 67 - first;
    try (Connection open = dataSource.getConnection()) {
      open.setAutoCommit(false);
      account.on(open).upsert(first, Map.of("balance", first), 2L);
      CompletableFuture<UpdateOutcome> other =
          Background.start(() -> account.tryUpsert(second, Map.of("balance", second), 2L));
      awaitLockWait();
      open.commit();

      assertThat(other.get(30, TimeUnit.SECONDS))
          .isEqualTo(second > first ? UpdateOutcome.APPLIED : UpdateOutcome.STALE);
    }
    assertThat(sql.number("SELECT balance FROM account WHERE id = 2")).isEqualTo(34);
    assertThat(sql.number("SELECT fencing_token FROM account WHERE id = 2")).isEqualTo(34);
  }

  @Test
  void ofManyFirstInsertsAtOnceTheHighestTokenIsLastAndNoneFailsOtherwise() throws Exception {
    for (long id = 10; id < 20; id++) {
      long key = id;
      CyclicBarrier together = new CyclicBarrier(4);
      List<CompletableFuture<UpdateOutcome>> inserts = new ArrayList<>();
      for (long token = 1; token <= 4; token++) {
        long mine = token;
        inserts.add(
            Background.start(
                () -> {
                  together.await(30, TimeUnit.SECONDS);
                  return account.tryUpsert(mine, Map.of("balance", mine), key);
                }));
      }
      for (CompletableFuture<UpdateOutcome> insert : inserts) {
        assertThat(insert.get(30, TimeUnit.SECONDS))
            .isIn(UpdateOutcome.APPLIED, UpdateOutcome.STALE);
      }
      assertThat(sql.number("SELECT balance FROM account WHERE id = " + id)).isEqualTo(4);
      assertThat(sql.number("SELECT fencing_token FROM account WHERE id = " + id)).isEqualTo(4);
    }
  }

  @Test
  void aTombstoneKeepsTheFenceAndALateUpsertIsRefused() throws SQLException {
    FencedTable table = builder().tombstoneColumn("deleted").build();
    table.delete(34, 1L);

    assertThat(table.tryUpsert(33, Map.of("balance", 5), 1L)).isEqualTo(UpdateOutcome.STALE);
    assertThat(table.tryOverwrite(33, Map.of("balance", 5), 1L)).isEqualTo(UpdateOutcome.STALE);
    assertThatThrownBy(() -> table.overwrite(34, Map.of("balance", 5), 1L))
        .isInstanceOf(FenceMissingException.class)
        .hasMessageContaining("tombstone");
    assertThat(fence()).isEqualTo(34);
    table.upsert(35, Map.of("balance", 6), 1L);
    table.overwrite(35, Map.of("balance", 7), 1L);
    assertThat(balance()).isEqualTo(7);
  }

  @Test
  void aTombstoneCanBeClaimedSoThatWhoFoundTheRowMissingIsNotOvertaken() throws SQLException {
    FencedTable table = builder().tombstoneColumn("deleted").build();
    FencedRow first = table.claim(32, 1L);
    first.delete();
    assertThat(first.isDeleted()).isTrue();

    FencedRow row = table.claim(34, 1L);

    assertThat(row.isDeleted()).isTrue();
    assertThat(table.tryUpsert(33, Map.of("balance", 5), 1L)).isEqualTo(UpdateOutcome.STALE);
    assertThat(first.tryWrite(Map.of("balance", 5))).isEqualTo(UpdateOutcome.STALE);
    row.write(Map.of("balance", 6));
    assertThat(row.isDeleted()).isFalse();
    table.overwrite(34, Map.of("balance", 7), 1L);
    assertThat(balance()).isEqualTo(7);
  }

  @Test
  void withoutTombstonesDeleteAndUpsertExcludeEachOther() throws SQLException {
    assertThatThrownBy(() -> account.delete(33, 1L))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("account[id=1]", "tombstoneColumn", "deletesForGood()");
    FencedTable forGood = builder().deletesForGood().build();
    assertThatThrownBy(() -> forGood.upsert(33, Map.of("balance", 5), 1L))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("tombstoneColumn");
    FencedRow row = forGood.claim(33, 1L);

    assertThat(forGood.tryDelete(32, 1L)).isEqualTo(UpdateOutcome.STALE);
    row.delete();

    assertThat(sql.number("SELECT count(*) FROM account")).isZero();
    assertThat(row.tryWrite(Map.of("balance", 5))).isEqualTo(UpdateOutcome.MISSING);
    assertThat(forGood.tryDelete(33, 1L)).isEqualTo(UpdateOutcome.MISSING);
  }

  @Test
  void aClaimThatTheDatabaseHasLostIsToldApartFromAStaleOne() throws SQLException {
    FencedRow row = account.claim(33, 1L);
    sql.run("UPDATE account SET fencing_token = 30");

    assertThatThrownBy(() -> row.write(Map.of("balance", 5)))
        .isInstanceOf(FenceMissingException.class)
        .hasMessageContainingAll("account[id=1]", "30", "33", "lost the claim");
    assertThat(row.tryWrite(Map.of("balance", 5))).isEqualTo(UpdateOutcome.LOST);
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aBatchWritesManyRowsUnderOneToken() throws SQLException {
    List<RowUpdate> rows = new ArrayList<>();
    for (long id = 1; id <= 120; id++) {
      rows.add(RowUpdate.of(Map.of("balance", id), id));
    }
    account.upsertAll(33, rows);
    account.overwriteAll(33, rows);
    account.overwriteAll(33, List.of());

    assertThat(sql.number("SELECT sum(balance) FROM account WHERE fencing_token = 33"))
        .isEqualTo(7260);
  }

  @Test
  void aStaleRowFailsTheWholeBatchWithTheVerdictOfEachRow() throws SQLException {
    account.upsert(40, Map.of("balance", 9), 2L);
    List<RowUpdate> rows =
        List.of(
            RowUpdate.of(Map.of("balance", 1), 1L),
            RowUpdate.of(Map.of("balance", 2), 2L),
            RowUpdate.of(Map.of("balance", 3), 3L));

    RefusedBatchException overwritten =
        catchThrowableOfType(RefusedBatchException.class, () -> account.overwriteAll(33, rows));
    RefusedBatchException upserted =
        catchThrowableOfType(RefusedBatchException.class, () -> account.upsertAll(33, rows));

    assertThat(overwritten)
        .hasMessageContainingAll("2 of 3 rows", "account[id=2]", "33", "40")
        .hasCauseInstanceOf(StaleTokenException.class);
    assertThat(overwritten.verdicts())
        .containsExactly(
            new RefusedBatchException.Verdict(List.of(1L), UpdateOutcome.APPLIED),
            new RefusedBatchException.Verdict(List.of(2L), UpdateOutcome.STALE),
            new RefusedBatchException.Verdict(List.of(3L), UpdateOutcome.MISSING));
    assertThat(upserted.verdicts())
        .extracting(RefusedBatchException.Verdict::outcome)
        .containsExactly(UpdateOutcome.APPLIED, UpdateOutcome.STALE, UpdateOutcome.APPLIED);
    assertThat(sql.number("SELECT sum(balance) FROM account")).isEqualTo(109);
    assertThatThrownBy(() -> account.upsertAll(41, List.of(rows.get(0), rows.get(0))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("account[id=1] is in the batch twice");
  }

  @Test
  void aWriteOnTheCallersConnectionIsCommittedOrNotWithIt() throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      account.on(connection).overwrite(33, Map.of("balance", 1), 1L);
      connection.rollback();
      assertThat(balance()).isEqualTo(100);

      account.on(connection).overwrite(32, Map.of("balance", 2), 1L);
      Sql.execute(connection, "UPDATE account SET note = 'mine' WHERE id = 1");
      connection.commit();
    }
    assertThat(balance()).isEqualTo(2);
    assertThat(fence()).isEqualTo(32);
  }

  @Test
  void aVerdictLeavesTheCallersTransactionUsable() throws SQLException {
    account.overwrite(34, Map.of("balance", 7), 1L);
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      FencedTable mine = account.on(connection);
      assertThat(mine.tryUpsert(33, Map.of("balance", 1), 1L)).isEqualTo(UpdateOutcome.STALE);
      assertThat(mine.tryUpsert(33, Map.of("balance", 2), 2L)).isEqualTo(UpdateOutcome.APPLIED);
      connection.commit();
    }
    assertThat(sql.number("SELECT sum(balance) FROM account")).isEqualTo(9);
  }

  @Test
  void afterARefusalThatIsSwallowedNothingOfTheCallersTransactionIsDurable() throws SQLException {
    account.overwrite(34, Map.of("balance", 7), 1L);
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      Sql.execute(connection, "INSERT INTO account (id, balance) VALUES (3, 1)");
      assertThatThrownBy(() -> account.on(connection).overwrite(33, Map.of("balance", 1), 1L))
          .isInstanceOf(StaleTokenException.class);
      assertThatThrownBy(
              () -> Sql.execute(connection, "INSERT INTO account (id, balance) VALUES (4, 1)"))
          .isInstanceOf(SQLException.class);
      if (!connection.isClosed()) {
        connection.commit();
      }
    }
    assertThat(sql.number("SELECT count(*) FROM account")).isEqualTo(1);
  }

  @Test
  void aStaleRowOfABatchEndsTheCallersTransaction() throws SQLException {
    account.upsert(34, Map.of("balance", 7), 2L);
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      List<RowUpdate> rows =
          List.of(RowUpdate.of(Map.of("balance", 1), 1L), RowUpdate.of(Map.of("balance", 1), 2L));
      assertThatThrownBy(() -> account.on(connection).overwriteAll(33, rows))
          .isInstanceOf(RefusedBatchException.class);
      if (!connection.isClosed()) {
        connection.commit();
      }
    }
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aConnectionInAutocommitModeIsRefused() throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      assertThatThrownBy(() -> account.on(connection).overwrite(33, Map.of("balance", 1), 1L))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll("autocommit", "setAutoCommit(false)");
    }
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aClaimThatTheCallerRolledBackWritesNothingMore() throws SQLException {
    FencedTable claimed = builder().claimColumn("claim_id").build();
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> account.on(connection).claim(33, 1L).isUsable())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("claimColumn");
      FencedRow row = claimed.on(connection).claim(33, 1L);
      connection.rollback();
      FencedRow other = claimed.claim(33, 1L);
      other.write(Map.of("balance", other.getLong("balance") + 1));

      assertThat(row.tryWrite(Map.of("balance", row.getLong("balance") + 1)))
          .isEqualTo(UpdateOutcome.STALE);
      connection.rollback();
    }
    assertThat(balance()).isEqualTo(101);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
  void aTransactionThatReadBeforeTheRowChangedIsRefusedOrCurrent(int isolation)
      throws SQLException {
    FencedTable claimed = builder().claimColumn("claim_id").build();
    long expected = 7;
    try (Connection connection = dataSource.getConnection()) {
      connection.setTransactionIsolation(isolation);
      connection.setAutoCommit(false);
      assertThat(Sql.number(connection, "SELECT balance FROM account")).isEqualTo(100);
      claimed.overwrite(33, Map.of("balance", 7), 1L);
      try {
        FencedRow row = claimed.on(connection).claim(34, 1L);
        row.write(Map.of("balance", row.getLong("balance") + 1));
        connection.commit();
        expected = 8;
      } catch (FenceBusyException refused) {
        assertThat(refused).hasMessageContainingAll("account[id=1]", "new transaction");
      }
    }
    assertThat(balance()).isEqualTo(expected);
  }

  @Test
  void aRowThatSomebodyElseHoldsIsBusyWithinTheBound() throws Exception {
    FencedTable impatient = builder().timeout(Duration.ofMillis(300)).build();
    try (Connection frozen = dataSource.getConnection()) {
      frozen.setAutoCommit(false);
      account.on(frozen).overwrite(33, Map.of("balance", 1), 1L);

      assertThatThrownBy(() -> impatient.claim(34, 1L).isUsable())
          .isInstanceOf(FenceBusyException.class)
          .hasMessageContainingAll("claim of account[id=1]", "34", " ms", "To find");
      assertThatThrownBy(() -> impatient.overwrite(34, Map.of("balance", 2), 1L))
          .isInstanceOf(FenceBusyException.class);
      frozen.rollback();
    }
    account.overwrite(34, Map.of("balance", 2), 1L);
    assertThat(balance()).isEqualTo(2);
  }

  @Test
  void theLimitOfAWaitDoesNotOutlastTheCall() throws SQLException {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setDataSource(dataSource);
      pool.setMaximumPoolSize(1);
      FencedTable pooled = FencedTable.builder(pool, "account").timeout(LIMIT).build();
      Sql same = new Sql(pool);
      String before = same.text(lockTimeout());

      pooled.overwrite(33, Map.of("balance", 1), 1L);
      assertThat(same.text(lockTimeout())).isEqualTo(before);
      assertThat(pooled.tryOverwrite(32, Map.of("balance", 1), 1L)).isEqualTo(UpdateOutcome.STALE);
      assertThatThrownBy(() -> pooled.overwrite(33, Map.of("no_such", 1), 1L))
          .isInstanceOf(FencingException.class);
      assertThat(same.text(lockTimeout())).isEqualTo(before);
      try (Connection connection = pool.getConnection()) {
        connection.setAutoCommit(false);
        pooled.on(connection).overwrite(33, Map.of("balance", 1), 1L);
        assertThat(Sql.text(connection, lockTimeout())).isEqualTo(before);
        connection.rollback();
      }
    }
  }

  @Test
  void aDeadlockOfTwoBatchesIsSolvedByTheLibrary() throws Exception {
    account.upsert(1, Map.of("balance", 1), 2L);
    List<RowUpdate> up =
        List.of(RowUpdate.of(Map.of("balance", 5), 1L), RowUpdate.of(Map.of("balance", 5), 2L));
    List<RowUpdate> down = List.of(up.get(1), up.get(0));
    try (Connection one = dataSource.getConnection()) {
      one.setAutoCommit(false);
      // Holds row 1, so that the batch holds row 2 and waits; then wants row 2.
      Sql.execute(one, "UPDATE account SET note = 'one' WHERE id = 1");
      CompletableFuture<Boolean> batch =
          Background.start(
              () -> {
                account.overwriteAll(33, down);
                return true;
              });
      awaitLockWait();
      boolean victim = false;
      try {
        Sql.execute(one, "UPDATE account SET note = 'one' WHERE id = 2");
        one.commit();
      } catch (SQLException deadlock) {
        victim = true;
        one.rollback();
      }

      assertThat(batch.get(30, TimeUnit.SECONDS)).isTrue();
      assertThat(sql.number("SELECT count(*) FROM account WHERE note = 'one'"))
          .isEqualTo(victim ? 0 : 2);
    }
    assertThat(sql.number("SELECT sum(balance) FROM account")).isEqualTo(10);
  }

  @Test
  void aCompositeKeyIsMatchedAsAWhole() throws SQLException {
    sql.run(
        "CREATE TABLE line (tenant varchar(20), no bigint, amount bigint, fence bigint,"
            + " PRIMARY KEY (tenant, no))");
    FencedTable line =
        FencedTable.builder(dataSource, "line").key("tenant", "no").fenceColumn("fence").build();
    line.upsert(33, Map.of("amount", 1), "a", 1L);
    line.upsert(40, Map.of("amount", 2), "a", 2L);
    line.upsert(40, Map.of("amount", 3), "b", 1L);

    line.claim(34, "a", 1L).write(Map.of("amount", 5));

    assertThatThrownBy(() -> line.overwrite(34, Map.of("amount", 6), "a", 2L))
        .hasMessageContaining("line[tenant=a, no=2]");
    assertThat(sql.number("SELECT sum(amount) FROM line")).isEqualTo(10);
    assertThatThrownBy(() -> line.overwrite(34, Map.of("amount", 6), "a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("[tenant, no]", "1 values");
  }

  @Test
  void aKeyThatIsNotUniqueIsRefusedAndNothingIsWritten() throws SQLException {
    sql.run("INSERT INTO account (id, balance, note) VALUES (2, 5, 'x'), (3, 5, 'x')");
    FencedTable byNote = builder().key("note").build();

    assertThatThrownBy(() -> byNote.overwrite(33, Map.of("balance", 1), "x"))
        .isInstanceOf(FenceSchemaException.class)
        .hasMessageContainingAll("account[note=x]", "more than one row");
    assertThat(sql.number("SELECT sum(balance) FROM account")).isEqualTo(110);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE})
  void aTokenThatIsNotPositiveIsRefused(long token) {
    assertThatThrownBy(() -> account.overwrite(token, Map.of("balance", 1), 1L))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("account", "greater than 0", Long.toString(token));
    assertThatThrownBy(() -> account.claim(token, 1L).isUsable())
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Balance", "a.b", "balance = 0; --", "\"b\"", "1a", "a b", "n\0"})
  void aColumnNameThatNeedsQuotingIsRefused(String column) {
    assertThatThrownBy(() -> account.overwrite(33, Map.of(column, 1), 1L))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name of a column");
    assertThatThrownBy(() -> builder().key(column)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder().fenceColumn(column))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Account", "a.b.c", "account; DROP TABLE account", "\"account\""})
  void aTableNameThatNeedsQuotingIsRefused(String table) {
    assertThatThrownBy(() -> FencedTable.builder(dataSource, table))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"'; DROP TABLE account; --", "\"quoted\"", "a\nb", "%_\\", "💰", "?"})
  void aValueIsOnlyEverAValue(String text) throws SQLException {
    account.upsert(33, Map.of("note", text), 5L);

    FencedRow row = builder().key("note").build().claim(34, text);

    assertThat(row.get("note")).isEqualTo(text);
    row.write(Collections.singletonMap("balance", null));
    assertThat(sql.text("SELECT balance FROM account WHERE id = 5")).isNull();
  }

  @Test
  void theColumnsOfTheLibraryAndTheKeyAreNotForWriting() {
    for (String column : List.of("id", "fencing_token")) {
      assertThatThrownBy(() -> account.overwrite(33, Map.of(column, 9), 1L))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(column);
    }
    assertThatThrownBy(() -> builder().key("id", "id").build())
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> account.overwrite(33, Map.of(), 1L))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no values");
  }

  @ParameterizedTest
  @ValueSource(strings = {"int", "numeric(20)", "varchar(20)"})
  void aFenceColumnThatIsNotA64BitNumberIsRefused(String type) throws SQLException {
    sql.run("DROP TABLE account");
    sql.run(
        "CREATE TABLE account (id bigint PRIMARY KEY, balance bigint, fencing_token " + type + ")");
    sql.run("INSERT INTO account (id, balance) VALUES (1, 100)");

    assertThatThrownBy(() -> builder().build().overwrite(33, Map.of("balance", 1), 1L))
        .isInstanceOf(FenceSchemaException.class)
        .hasMessageContainingAll("account", "fencing_token", "bigint");
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void aMissingColumnOrTableIsNamed() throws SQLException {
    assertThatThrownBy(
            () -> builder().fenceColumn("fence").build().overwrite(33, Map.of("balance", 1), 1L))
        .isInstanceOf(FenceSchemaException.class)
        .hasMessageContainingAll("account", "[fence]");
    assertThatThrownBy(
            () -> FencedTable.builder(dataSource, "nothing").build().claim(33, 1L).isUsable())
        .isInstanceOf(FenceSchemaException.class)
        .hasMessageContaining("nothing");
    assertThatThrownBy(() -> account.overwrite(33, Map.of("no_such", 1), 1L))
        .isExactlyInstanceOf(FencingException.class)
        .hasMessageContainingAll("account[id=1]", "33", "Nothing was written");
    account.overwrite(33, Map.of("balance", 1), 1L);
    assertThat(balance()).isEqualTo(1);
  }

  @Test
  void aValueThatIsNotANumberIsNotReadAsOne() {
    FencedRow row = account.claim(33, 1L);

    assertThatThrownBy(() -> row.getLong("note")).hasMessageContainingAll("note", "no number");
    assertThatThrownBy(() -> row.get("nope")).hasMessageContainingAll("nope", "balance");
  }

  long balance() throws SQLException {
    return sql.number("SELECT balance FROM account WHERE id = 1");
  }

  long fence() throws SQLException {
    return sql.number("SELECT fencing_token FROM account WHERE id = 1");
  }

  void awaitLockWait() {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(10))
        .until(() -> sql.number(lockWaits()) == 1);
  }
}
