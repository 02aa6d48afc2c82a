package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * All interleavings of the steps of an old holder and of its successor, on a real server: what the
 * library does keeps each of them right, and each guard that is broken is caught.
 */
abstract class PermutationContract extends DatabaseTest {

  enum Isolation {
    READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
    REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ);

    private final int level;

    Isolation(int level) {
      this.level = level;
    }
  }

  private static final List<String> RESET =
      List.of(
          "UPDATE account SET balance = 100, ver = 0, fencing_token = 0",
          "DELETE FROM journal",
          "DELETE FROM fence");

  /** What a run over all interleavings of one guard has shown. */
  private record Findings(
      Map<String, String> violations, int runs, int old, int successor, int blocked) {

    /** That nothing of the successor ever gets through is no better than that all does. */
    boolean isCaught() {
      return !violations.isEmpty() || successor == 0;
    }
  }

  /** The query for the number of the session that runs it. */
  abstract String sessionId();

  /**
   * Whether a holder waits for a lock in one of its sessions.
   *
   * @param otherIsBlocked whether the other holder is known to wait for one
   */
  abstract boolean isBlocked(Connection watching, long[] sessions, boolean otherIsBlocked)
      throws SQLException;

  /** What makes of a query a shared locking read. */
  abstract String shared();

  /**
   * Raises the fence in the work's own transaction, and returns the query that then reads by a
   * snapshot from before the raise; the query may do both in one.
   */
  abstract String raiseAndRead(Connection connection, long token) throws SQLException;

  /** The broken guards that this database makes harmless, because it refuses something itself. */
  abstract Set<String> harmless(Isolation isolation);

  @BeforeEach
  void createJournal() throws SQLException {
    sql.run(
        "ALTER TABLE account ADD COLUMN ver bigint NOT NULL DEFAULT 0",
        "ALTER TABLE account ADD COLUMN fencing_token bigint NOT NULL DEFAULT 0",
        History.JOURNAL);
  }

  static Stream<Arguments> kept() {
    return cases(List.of(Guard.LIBRARY, Guard.RENEWAL, Guard.SWALLOWED));
  }

  static Stream<Arguments> broken() {
    return cases(Guard.BROKEN);
  }

  private static Stream<Arguments> cases(List<Guard> guards) {
    return guards.stream()
        .flatMap(guard -> Stream.of(Isolation.values()).map(level -> Arguments.of(guard, level)));
  }

  @ParameterizedTest
  @MethodSource("kept")
  void everyInterleavingIsRight(Guard guard, Isolation isolation) throws Exception {
    Findings found = runAll(guard, isolation);

    assertThat(found.violations()).isEmpty();
    assertThat(found.successor())
        .as("interleavings in which the successor wrote")
        .isEqualTo(found.runs());
    assertThat(found.old())
        .as("interleavings in which the old holder wrote")
        .isBetween(1, found.runs() - 1);
    assertThat(found.blocked()).as("interleavings in which somebody waited").isPositive();
  }

  @ParameterizedTest
  @MethodSource("broken")
  void aBrokenGuardIsCaught(Guard guard, Isolation isolation) throws Exception {
    Findings found = runAll(guard, isolation);

    assertThat(found.isCaught())
        .as("%s", found)
        .isEqualTo(!harmless(isolation).contains(guard.name()));
  }

  private Findings runAll(Guard guard, Isolation isolation) throws Exception {
    Map<String, String> violations = new TreeMap<>();
    int runs = 0;
    int old = 0;
    int successor = 0;
    int blocked = 0;
    try (Holder older = new Holder("old", this, isolation.level);
        Holder newer = new Holder("successor", this, isolation.level);
        Connection beside = dataSource.getConnection()) {
      for (Interleaving order : Interleaving.all(guard.old().size(), guard.successor().size())) {
        if (!violations.isEmpty()) {
          break; // One is enough.
        }
        for (String reset : RESET) {
          Sql.execute(beside, reset);
        }
        History history = new History();
        older.prepare(guard.old(), 33, history, newer);
        newer.prepare(guard.successor(), guard.successorToken(), history, older);
        guard.start().run(older, newer);
        order.run(older, newer);
        for (String wrong : history.judge(beside, 34)) {
          violations.putIfAbsent(wrong, order.turns() + ": " + history);
        }
        runs++;
        old += history.isAccepted("old") ? 1 : 0;
        successor += history.isAccepted("successor") ? 1 : 0;
        blocked += older.wasBlocked() || newer.wasBlocked() ? 1 : 0;
      }
    }
    return new Findings(violations, runs, old, successor, blocked);
  }
}
