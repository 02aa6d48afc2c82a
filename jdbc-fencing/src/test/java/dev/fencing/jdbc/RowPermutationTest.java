package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.fixtures.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Every order in which the steps of an old and a new holder can run, on a real PostgreSQL.
 *
 * <p>Each write adds 1 to what its holder has read, so that a lost update is a missing 1; a trigger
 * writes down the token of every write that is stored, in the order in which they are.
 */
class RowPermutationTest {

  private static final long OLD = 33;
  private static final long NEW = 34;
  private static final Sql SERVER = new Sql(PostgresServer.shared().dataSource());

  private final HikariDataSource dataSource = new HikariDataSource();
  private final Sql sql = new Sql(dataSource);

  /** One holder; each step returns whether the database has taken a write. */
  private abstract static class Holder {
    final long token;

    Holder(long token) {
      this.token = token;
    }

    abstract void claim() throws SQLException;

    abstract boolean write() throws SQLException;

    void end() throws SQLException {}
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
      return mine != null && mine.tryWrite(Map.of("n", mine.getLong("n") + 1)).isApplied();
    }
  }

  /** What each of these leaves out is what the library must not leave out. */
  private enum Broken {
    /** Reads first and overwrites blindly. */
    READ_BEFORE_THE_CLAIM(
        "UPDATE counter SET n = ?, fencing_token = ? WHERE id = 1"
            + " AND coalesce(fencing_token, 0) <= ?"),
    /** Claims, and then takes every write for done. */
    COUNT_IGNORED(
        "UPDATE counter SET n = ?, fencing_token = ? WHERE id = 1"
            + " AND coalesce(fencing_token, 0) <= ?"),
    /** Claims, and then writes only above what the claim has stored. */
    STRICT_AFTER_A_CLAIM(
        "UPDATE counter SET n = ?, fencing_token = ? WHERE id = 1"
            + " AND coalesce(fencing_token, 0) < ?"),
    /** Claims without a look at the token. */
    CLAIM_UNCHECKED(
        "UPDATE counter SET n = ?, fencing_token = ? WHERE id = 1"
            + " AND (coalesce(fencing_token, 0) = ?)");

    private final String write;

    Broken(String write) {
      this.write = write;
    }
  }

  private final class BrokenHolder extends Holder {
    private final Broken how;
    private long read;

    BrokenHolder(long token, Broken how) {
      super(token);
      this.how = how;
    }

    @Override
    void claim() throws SQLException {
      if (how == Broken.CLAIM_UNCHECKED) {
        sql.run("UPDATE counter SET fencing_token = " + token);
      } else if (how != Broken.READ_BEFORE_THE_CLAIM) {
        sql.run("UPDATE counter SET fencing_token = " + token + " WHERE fencing_token < " + token);
      }
      read = sql.number("SELECT n FROM counter");
    }

    @Override
    boolean write() throws SQLException {
      try (Connection connection = dataSource.getConnection();
          var statement = connection.prepareStatement(how.write)) {
        statement.setLong(1, read + 1);
        statement.setLong(2, token);
        statement.setLong(3, token);
        int count = statement.executeUpdate();
        boolean done = count == 1 || how == Broken.COUNT_IGNORED;
        if (done) {
          read++;
        }
        return done;
      }
    }
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
      // The snapshot of a REPEATABLE READ transaction, older than everything.
      assertThat(Sql.number(connection, "SELECT count(*) FROM counter")).isEqualTo(1);
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
      return mine != null && mine.tryWrite(Map.of("n", mine.getLong("n") + 1)).isApplied();
    }

    @Override
    void end() throws SQLException {
      connection.commit();
      connection.close();
    }
  }

  @BeforeEach
  void createTables() throws SQLException {
    SERVER.run(
        "CREATE TABLE counter (id bigint PRIMARY KEY, n bigint, fencing_token bigint, claim_id bigint)",
        "CREATE TABLE written (pos bigint GENERATED ALWAYS AS IDENTITY, token bigint)",
        "CREATE FUNCTION log_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            + " INSERT INTO written (token) VALUES (NEW.fencing_token); RETURN NULL; END $$",
        "CREATE TRIGGER log_write AFTER UPDATE OF n ON counter"
            + " FOR EACH ROW EXECUTE FUNCTION log_write()");
  }

  @AfterEach
  void leaveNothing() throws SQLException {
    dataSource.close();
    SERVER.run("DROP TABLE counter, written", "DROP FUNCTION log_write()");
  }

  @ParameterizedTest
  @ValueSource(strings = {"read committed", "repeatable read"})
  void noOrderOfClaimsAndWritesLosesAnUpdate(String isolation) throws Exception {
    defaultIsolation(isolation);

    Map<String, String> faults = faults(() -> new Holder[] {new Fenced(OLD), new Fenced(NEW)});

    assertThat(faults).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"read committed", "repeatable read"})
  void noOrderOfStepsInTheCallersTransactionsLosesAnUpdate(String isolation) throws Exception {
    defaultIsolation(isolation);
    List<String> faults = new ArrayList<>();
    int accepted = 0;
    for (String order : orders("OOO", "NNN")) {
      accepted += joined(order, faults);
    }

    assertThat(faults).isEmpty();
    assertThat(accepted).isGreaterThanOrEqualTo(20);
  }

  @Test
  void theSameCheckCatchesWritersThatLeaveSomethingOut() throws Exception {
    defaultIsolation("read committed");
    Map<Broken, Map<String, String>> caught = new TreeMap<>();
    for (Broken how : Broken.values()) {
      caught.put(
          how, faults(() -> new Holder[] {new BrokenHolder(OLD, how), new BrokenHolder(NEW, how)}));
    }

    assertThat(caught).hasSize(4).allSatisfy((how, faults) -> assertThat(faults).isNotEmpty());
    assertThat(caught.get(Broken.READ_BEFORE_THE_CLAIM)).containsValue("lost update");
    assertThat(caught.get(Broken.COUNT_IGNORED)).containsValue("lost update");
    assertThat(caught.get(Broken.STRICT_AFTER_A_CLAIM)).containsValue("nothing written");
    assertThat(caught.get(Broken.CLAIM_UNCHECKED)).containsValue("tokens fell");
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
      String fault = judge(accepted);
      if (fault != null) {
        faults.put(order, fault);
      }
    }
    return faults;
  }

  /** Claim, write and commit of each; a step that has to wait goes on when the other has ended. */
  private int joined(String order, List<String> faults) throws Exception {
    reset();
    Session old = new Session(new Joined(OLD));
    Session young = new Session(new Joined(NEW));
    for (int i = 0; i < order.length(); i++) {
      (order.charAt(i) == 'O' ? old : young).next();
      Awaitility.await()
          .pollInterval(Duration.ofMillis(2))
          .until(() -> (old.isIdle() && young.isIdle()) || lockWaits() == 1);
    }
    int accepted = old.accepted() + young.accepted();
    String fault = judge(accepted);
    if (fault != null) {
      faults.add(order + ": " + fault);
    }
    return accepted;
  }

  private long lockWaits() throws SQLException {
    return sql.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
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
                  default -> holder.end();
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
        "DELETE FROM counter; DELETE FROM written;"
            + " INSERT INTO counter (id, n, fencing_token) VALUES (1, 0, 0)");
  }

  private void defaultIsolation(String isolation) {
    PGSimpleDataSource source = (PGSimpleDataSource) PostgresServer.shared().dataSource();
    source.setOptions("-c default_transaction_isolation=" + isolation.replace(" ", "\\ "));
    dataSource.setDataSource(source);
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
