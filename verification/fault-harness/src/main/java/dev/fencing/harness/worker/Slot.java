package dev.fencing.harness.worker;

import dev.fencing.harness.arm.Change;
import dev.fencing.harness.arm.Grant;
import dev.fencing.harness.arm.Guard;
import dev.fencing.harness.arm.Job;
import dev.fencing.harness.arm.Mark;
import dev.fencing.harness.arm.Tools;
import dev.fencing.harness.arm.Zombie;
import dev.fencing.harness.history.Op;
import dev.fencing.harness.history.OpFunction;
import dev.fencing.harness.history.OpType;
import dev.fencing.harness.history.Row;
import dev.fencing.harness.history.Workload;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** One thread of a worker, which takes one lock again and again and writes under it. */
final class Slot implements Runnable {

  private static final Duration ACQUIRE_BOUND = Duration.ofSeconds(4);
  private static final Duration HAUNT_BOUND = Duration.ofSeconds(15);
  private static final int THINK_MILLIS = 12;

  private final String resource;
  private final Order order;
  private final Tools tools;
  private final DataSource database;
  private final MarkClient marks;
  private final LongSupplier session;
  private final SlotLog log;
  private final Random random;
  private final String prefix;
  private int holds;
  private int writes;
  private volatile boolean stopping;

  Slot(
      WorkerId id,
      int lock,
      Order order,
      Tools tools,
      DataSource database,
      MarkClient marks,
      LongSupplier session,
      Recorder recorder) {
    this.resource = Order.lock(lock);
    this.order = order;
    this.tools = tools;
    this.database = database;
    this.marks = marks;
    this.session = session;
    this.log = new SlotLog(recorder, id, lock);
    this.random = new Random(order.seed() * 1_000_003 + id.firstProcess(lock));
    this.prefix = "w%d.%d.%d".formatted(id.worker(), id.incarnation(), lock);
  }

  void stop() {
    stopping = true;
  }

  @Override
  public void run() {
    while (!stopping) {
      try {
        reach(Mark.IDLE, 0, null);
        if (!stopping) {
          hold();
        }
        think(THINK_MILLIS);
      } catch (IOException | SQLException | InterruptedException | RuntimeException e) {
        e.printStackTrace();
        WorkerMain.fail("thread of " + resource + " failed: " + e);
      }
    }
  }

  private void hold() throws IOException, SQLException, InterruptedException {
    String hold = prefix + "-" + holds++;
    Op acquire = log.invoke(log.op(OpFunction.ACQUIRE).hold(hold));
    Grant grant;
    try {
      grant = tools.lock().acquire(ACQUIRE_BOUND);
    } catch (Exception e) {
      log.end(acquire.completed(OpType.FAIL).error(e));
      think(200);
      return;
    }
    if (grant == null) {
      log.end(acquire.completed(OpType.FAIL).error("busy for " + ACQUIRE_BOUND));
      return;
    }
    log.end(acquire.completed(OpType.OK).token(grant.token()).live(grant.isLive()));
    Guard guard = null;
    try {
      reach(Mark.AFTER_ACQUIRE, grant.token(), null);
      checkLive(grant, hold);
      if (order.workload() == Workload.LOCK_ONLY) {
        think(THINK_MILLIS);
        reach(Mark.AFTER_READ, grant.token(), null);
        checkLive(grant, hold);
      } else {
        guard = work(grant, hold);
      }
    } finally {
      release(grant, guard, hold);
    }
  }

  private @Nullable Guard work(Grant grant, String hold)
      throws IOException, SQLException, InterruptedException {
    Computation computation;
    try {
      computation = Computation.of(order.workload(), resource, database, random);
    } catch (SQLException down) {
      think(200);
      return null;
    }
    Guard guard =
        order
            .arm()
            .guard(
                tools,
                new Job(
                    database,
                    resource,
                    grant,
                    computation.reads(),
                    computation.writes(),
                    order.workload(),
                    random));
    if (guard.raises() == Guard.Raise.APART) {
      Op raise = log.invoke(log.op(OpFunction.RAISE).hold(hold).token(grant.token()));
      if (!log.attempt(raise, guard::raise)) {
        return guard;
      }
      log.end(raise.completed(OpType.OK));
      reach(Mark.AFTER_RAISE, grant.token(), null);
    }
    int rounds = 1 + random.nextInt(3);
    for (int i = 0; i < rounds && !stopping; i++) {
      if (!round(grant, hold, guard, computation)) {
        break;
      }
    }
    return guard;
  }

  /** Reads, thinks and writes once, and returns whether the hold may go on. */
  private boolean round(Grant grant, String hold, Guard guard, Computation computation)
      throws IOException, InterruptedException, SQLException {
    boolean claims = guard.raises() == Guard.Raise.CLAIM;
    Op read =
        log.invoke(
            log.op(claims ? OpFunction.CLAIM : OpFunction.READ)
                .key(computation.key(resource))
                .hold(hold)
                .token(grant.token()));
    AtomicReference<@Nullable Map<String, Row>> rows = new AtomicReference<>();
    if (!log.attempt(
        read,
        () -> {
          if (claims) {
            guard.raise();
          }
          rows.set(guard.read());
        })) {
      return false;
    }
    Map<String, Row> found = Objects.requireNonNull(rows.get(), "nothing was read");
    log.end(read.completed(OpType.OK).value(computation.read(found)));
    if (claims) {
      reach(Mark.AFTER_RAISE, grant.token(), null);
    }
    if (reach(Mark.AFTER_READ, grant.token(), null) == MarkClient.HAUNT) {
      haunt(guard);
    }
    think(THINK_MILLIS);
    Change change = computation.change(prefix + "+" + writes++, grant.token(), found);
    Op write =
        log.invoke(
            log.op(OpFunction.WRITE)
                .key(computation.key(resource))
                .hold(hold)
                .token(grant.token())
                .op(change.op())
                .live(grant.isLive())
                .value(computation.written(change)));
    OpType outcome =
        log.outcome(
            write,
            () ->
                guard.write(
                    change, connection -> reach(Mark.BEFORE_COMMIT, grant.token(), connection)));
    if (outcome == OpType.OK) {
      log.end(write.completed(OpType.OK));
    }
    reach(Mark.AFTER_WRITE, grant.token(), null);
    return outcome == OpType.OK || (outcome == OpType.INFO && recover(grant, hold, guard));
  }

  private boolean recover(Grant grant, String hold, Guard guard) {
    if (!guard.renews()) {
      try {
        guard.recover();
        return true;
      } catch (Exception over) {
        return false;
      }
    }
    Op renew = log.invoke(log.op(OpFunction.RENEW).hold(hold).token(grant.token()));
    if (!log.attempt(renew, guard::recover)) {
      return false;
    }
    log.end(renew.completed(OpType.OK));
    return true;
  }

  private void haunt(Guard guard) throws InterruptedException {
    Zombie zombie = guard.zombie();
    if (zombie != null) {
      zombie.haunt(HAUNT_BOUND);
      WorkerMain.say("zombie %s %d %d".formatted(resource, zombie.count(), zombie.longestMillis()));
    }
  }

  private void checkLive(Grant grant, String hold) {
    Op check = log.invoke(log.op(OpFunction.CHECK_LIVE).hold(hold).token(grant.token()));
    log.end(check.completed(OpType.OK).live(grant.isLive()));
  }

  private void release(Grant grant, @Nullable Guard guard, String hold) {
    Op release = log.invoke(log.op(OpFunction.RELEASE).hold(hold).token(grant.token()));
    try {
      if (guard != null) {
        guard.finish();
      }
    } catch (Exception e) {
      // What it wanted to tidy up stays as it is.
    }
    if (log.attempt(release, grant::release)) {
      log.end(release.completed(OpType.OK));
    }
  }

  private int reach(Mark mark, long token, @Nullable Connection connection)
      throws IOException, SQLException {
    return marks.reach(mark, token, session.getAsLong(), connection == null ? 0 : pid(connection));
  }

  private static long pid(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
      row.next();
      return row.getLong(1);
    }
  }

  private void think(int millis) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(1 + random.nextInt(millis));
  }
}
