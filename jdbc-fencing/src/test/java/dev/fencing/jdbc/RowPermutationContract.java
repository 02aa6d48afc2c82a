package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every order in which the steps of an old and a new holder can run, on a real server.
 *
 * <p>Each write adds 1 to what its holder has read, so that a lost update is a missing 1; a trigger
 * writes down the token of every write that is stored, in the order in which they are.
 */
abstract class RowPermutationContract {

  enum Isolation {
    READ_COMMITTED,
    REPEATABLE_READ
  }

  private static final long OLD = 33;
  private static final long NEW = 34;

  private final DataSource server = server();
  private final HikariDataSource dataSource = new HikariDataSource();
  private final Sql sql = new Sql(dataSource);

  /** Of each write another one, so that none leaves the row as it was. */
  private final AtomicLong writes = new AtomicLong();

  abstract DataSource server();

  /** Creates the trigger log_write, which notes each new number of a write in the table written. */
  abstract String[] createTrigger();

  abstract String[] dropTrigger();

  /** The broken writers in transactions of their own that this database makes harmless. */
  abstract Set<Broken> harmless(Isolation isolation);

  /** One holder; each step returns whether the database has taken a write. */
  private abstract static class Holder {
    final long token;

    Holder(long token) {
      this.token = token;
    }

    abstract void claim() throws SQLException;

    abstract boolean write() throws SQLException;

    /** Returns whether what was written is kept. */
    boolean end() throws SQLException {
      return true;
    }
  }

  private Map<String, Object> plusOne(FencedRow row) {
    return Map.of("n", row.getLong("n") + 1, "write_id", writes.incrementAndGet());
  }

  /** The library, each step in a transaction of its own. */
  private final class Fenced extends Holder {
    private final FencedTable table = FencedTable.builder(dataSource, "counter").build();
    private @Nullable FencedRow row;

    Fenced(long token) {
      super(token);
    }

    @Override
    void claim() {
      try {
        row = table.claim(token, 1L);
      } catch (StaleTokenException e) {
        row = null;
      }
    }

    @Override
    boolean write() {
      FencedRow mine = row;
      return mine != null && mine.tryWrite(plusOne(mine)).isApplied();
    }
  }

  /** What each of these leaves out is what the library must not leave out. */
  enum Broken {
    /** Reads first and overwrites blindly. */
    READ_BEFORE_THE_CLAIM(
        "UPDATE counter SET n = ?, write_id = ?, fencing_token = ? WHERE id = 1"
            + " AND coalesce(fencing_token, 0) <= ?"),
    /** Claims, and then takes every write for done. */
    COUNT_IGNORED(
        "UPDATE counter SET n = ?, write_id = ?, fencing_token = ? WHERE id = 1"
            + " AND coalesce(fencing_token, 0) <= ?"),
    /** Claims, and then writes only above what the claim has stored. */
    STRICT_AFTER_A_CLAIM(
        "UPDATE counter SET n = ?, write_id = ?, fencing_token = ? WHERE id = 1"
            + " AND coalesce(fencing_token, 0) < ?"),
    /** Claims without a look at the token. */
    CLAIM_UNCHECKED(
        "UPDATE counter SET n = ?, write_id = ?, fencing_token = ? WHERE id = 1"
            + " AND (coalesce(fencing_token, 0) = ?)");

    private final String write;

    Broken(String write) {
      this.write = write;
    }
  }

  /** Each step in a transaction of its own, or all in one that is committed at the end. */
  private final class BrokenHolder extends Holder {
    private final Broken how;
    private final Connection connection = dataSource.getConnection();
    private long read;
    private boolean failed;

    BrokenHolder(long token, Broken how, boolean inOneTransaction) throws SQLException {
      super(token);
      this.how = how;
      if (inOneTransaction) {
        connection.setAutoCommit(false);
        makeSnapshot(connection);
      }
    }

    @Override
    void claim() {
      attempt(
          () -> {
            if (how == Broken.CLAIM_UNCHECKED) {
              Sql.execute(connection, "UPDATE counter SET fencing_token = " + token);
            } else if (how != Broken.READ_BEFORE_THE_CLAIM) {
              Sql.execute(
                  connection,
                  "UPDATE counter SET fencing_token = %1$d WHERE fencing_token < %1$d"
                      .formatted(token));
            }
            read = Sql.number(connection, "SELECT n FROM counter");
            return true;
          });
    }

    @Override
    boolean write() {
      return attempt(
          () -> {
            try (var statement = connection.prepareStatement(how.write)) {
              statement.setLong(1, read + 1);
              statement.setLong(2, writes.incrementAndGet());
              statement.setLong(3, token);
              statement.setLong(4, token);
              boolean done = statement.executeUpdate() == 1 || how == Broken.COUNT_IGNORED;
              if (done) {
                read++;
              }
              return done;
            }
          });
    }

    /** What a database refuses by an error is given up, as an application would. */
    private boolean attempt(Callable<Boolean> step) {
      try {
        return !failed && step.call();
      } catch (Exception e) {
        failed = true;
        return false;
      }
    }

    @Override
    boolean end() throws SQLException {
      if (connection.getAutoCommit()) {
        connection.close();
        return true;
      }
      if (failed) {
        connection.rollback();
      } else {
        connection.commit();
      }
      connection.close();
      return !failed;
    }
  }

  /** The snapshot of a REPEATABLE READ transaction, older than everything. */
  private static void makeSnapshot(Connection connection) throws SQLException {
    assertThat(Sql.number(connection, "SELECT count(*) FROM counter")).isEqualTo(1);
  }

  /** The library in the callers' own transactions: claim and write, committed at the end. */
  private final class Joined extends Holder {
    private final FencedTable table =
        FencedTable.builder(dataSource, "counter").claimColumn("claim_id").build();
    private final Connection connection = dataSource.getConnection();
    private @Nullable FencedRow row;

    Joined(long token) throws SQLException {
      super(token);
      connection.setAutoCommit(false);
      makeSnapshot(connection);
    }

    @Override
    void claim() {
      try {
        row = table.on(connection).claim(token, 1L);
      } catch (FencingException e) {
        row = null; // Stale, or changed since the snapshot.
      }
    }

    @Override
    boolean write() {
      FencedRow mine = row;
      return mine != null && mine.tryWrite(plusOne(mine)).isApplied();
    }

    @Override
    boolean end() throws SQLException {
      if (!connection.isClosed()) { // A refusal closes it where nothing can be aborted.
        connection.commit();
        connection.close();
      }
      return true;
    }
  }

  @BeforeEach
  void createTables() throws SQLException {
    new Sql(server)
        .run(
            "CREATE TABLE counter (id bigint PRIMARY KEY, n bigint, write_id bigint,"
                + " fencing_token bigint, claim_id bigint)",
            "CREATE TABLE written (pos bigint PRIMARY KEY, token bigint)");
    new Sql(server).run(createTrigger());
  }

  @AfterEach
  void leaveNothing() throws SQLException {
    dataSource.close();
    new Sql(server).run("DROP TABLE counter, written");
    new Sql(server).run(dropTrigger());
  }

  @ParameterizedTest
  @EnumSource
  void noOrderOfClaimsAndWritesLosesAnUpdate(Isolation isolation) throws Exception {
    defaultIsolation(isolation);

    Map<String, String> faults = faults(() -> new Holder[] {new Fenced(OLD), new Fenced(NEW)});

    assertThat(faults).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void noOrderOfStepsInTheCallersTransactionsLosesAnUpdate(Isolation isolation) throws Exception {
    defaultIsolation(isolation);
    Map<String, String> faults = new TreeMap<>();
    int accepted = 0;
    for (String order : orders("OOO", "NNN")) {
      accepted += joined(order, faults, () -> new Holder[] {new Joined(OLD), new Joined(NEW)});
    }

    assertThat(faults).isEmpty();
    assertThat(accepted).isGreaterThanOrEqualTo(20);
  }

  @Test
  void theSameCheckCatchesWritersThatLeaveSomethingOut() throws Exception {
    defaultIsolation(Isolation.READ_COMMITTED); // None matters to statements on their own.
    Map<Broken, Map<String, String>> caught = new TreeMap<>();
    for (Broken how : Broken.values()) {
      caught.put(how, faults(() -> broken(how, false)));
    }

    assertThat(caught).hasSize(4).allSatisfy((how, faults) -> assertThat(faults).isNotEmpty());
    assertThat(caught.get(Broken.READ_BEFORE_THE_CLAIM)).containsValue("lost update");
    assertThat(caught.get(Broken.COUNT_IGNORED)).containsValue("lost update");
    assertThat(caught.get(Broken.STRICT_AFTER_A_CLAIM)).containsValue("nothing written");
    assertThat(caught.get(Broken.CLAIM_UNCHECKED)).containsValue("tokens fell");
  }

  @ParameterizedTest
  @EnumSource
  void inATransactionTheyAreCaughtUnlessTheDatabaseRefusesThem(Isolation isolation)
      throws Exception {
    defaultIsolation(isolation);
    Set<Broken> harmless = EnumSet.noneOf(Broken.class);
    for (Broken how : Broken.values()) {
      Map<String, String> faults = new TreeMap<>();
      int accepted = 0;
      for (String order : orders("OOO", "NNN")) {
        accepted += joined(order, faults, () -> broken(how, true));
        if (!faults.isEmpty()) {
          break; // One is enough.
        }
      }
      if (faults.isEmpty()) {
        harmless.add(how);
        assertThat(accepted).as("%s writes", how).isGreaterThanOrEqualTo(20);
      }
    }

    assertThat(harmless).isEqualTo(harmless(isolation));
  }

  private Holder[] broken(Broken how, boolean inOneTransaction) throws SQLException {
    return new Holder[] {
      new BrokenHolder(OLD, how, inOneTransaction), new BrokenHolder(NEW, how, inOneTransaction)
    };
  }

  @FunctionalInterface
  private interface Holders {
    Holder[] make() throws SQLException;
  }

  /** Runs all ten orders of claim, write, write and claim, write; returns what went wrong. */
  private Map<String, String> faults(Holders holders) throws SQLException {
    Map<String, String> faults = new TreeMap<>();
    List<String> orders = orders("OOO", "NN");
    assertThat(orders).hasSize(10);
    for (String order : orders) {
      reset();
      Holder[] both = holders.make();
      int accepted = 0;
      boolean[] claimed = new boolean[2];
      for (int i = 0; i < order.length(); i++) {
        int who = order.charAt(i) == 'O' ? 0 : 1;
        if (claimed[who]) {
          accepted += both[who].write() ? 1 : 0;
        } else {
          both[who].claim();
          claimed[who] = true;
        }
      }
      for (Holder each : both) {
        assertThat(each.end()).isTrue();
      }
      String fault = judge(accepted);
      if (fault != null) {
        faults.put(order, fault);
      }
    }
    return faults;
  }

  /** Claim, write and commit of each; a step that has to wait goes on when the other has ended. */
  private int joined(String order, Map<String, String> faults, Holders holders) throws Exception {
    reset();
    Holder[] both = holders.make();
    Session old = new Session(both[0]);
    Session young = new Session(both[1]);
    for (int i = 0; i < order.length(); i++) {
      (order.charAt(i) == 'O' ? old : young).next();
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .pollInterval(Duration.ofMillis(2))
          .until(() -> allWait(old, young));
    }
    int accepted = old.accepted() + young.accepted();
    String fault = judge(accepted);
    if (fault != null) {
      faults.put(order, fault);
    }
    return accepted;
  }

  /** Whether every step that is under way waits for a lock, so that none goes on by itself. */
  private boolean allWait(Session old, Session young) throws SQLException {
    int underWay = (old.isIdle() ? 0 : 1) + (young.isIdle() ? 0 : 1);
    return underWay == 0 || lockWaits() == underWay;
  }

  private long lockWaits() throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return sql.server().lockWaits(connection);
    }
  }

  /** Runs the three steps of a holder one after the other, beside the other one. */
  private static final class Session {
    private final Holder holder;
    private CompletableFuture<Integer> last = CompletableFuture.completedFuture(0);
    private int steps;

    Session(Holder holder) {
      this.holder = holder;
    }

    void next() {
      int step = steps++;
      CompletableFuture<Integer> before = last;
      last =
          Background.start(
              () -> {
                int accepted = before.get(30, TimeUnit.SECONDS);
                switch (step) {
                  case 0 -> holder.claim();
                  case 1 -> accepted += holder.write() ? 1 : 0;
                  default -> accepted = holder.end() ? accepted : 0;
                }
                return accepted;
              });
    }

    boolean isIdle() {
      return last.isDone();
    }

    int accepted() throws Exception {
      return last.get(30, TimeUnit.SECONDS);
    }
  }

  private @Nullable String judge(int accepted) throws SQLException {
    if (sql.number("SELECT n FROM counter") != accepted) {
      return "lost update";
    }
    if (sql.number(
            "SELECT count(*) FROM written a JOIN written b ON a.pos < b.pos AND a.token > b.token")
        > 0) {
      return "tokens fell";
    }
    return accepted == 0 ? "nothing written" : null;
  }

  private void reset() throws SQLException {
    sql.run(
        "DELETE FROM counter",
        "DELETE FROM written",
        "INSERT INTO counter (id, n, fencing_token) VALUES (1, 0, 0)");
  }

  private void defaultIsolation(Isolation isolation) {
    dataSource.setDataSource(server);
    dataSource.setTransactionIsolation("TRANSACTION_" + isolation);
  }

  /** All interleavings of two sequences of steps. */
  private static List<String> orders(String one, String other) {
    if (one.isEmpty() || other.isEmpty()) {
      return List.of(one + other);
    }
    List<String> orders = new ArrayList<>();
    orders(one.substring(1), other).forEach(rest -> orders.add(one.charAt(0) + rest));
    orders(one, other.substring(1)).forEach(rest -> orders.add(other.charAt(0) + rest));
    return orders;
  }
}
