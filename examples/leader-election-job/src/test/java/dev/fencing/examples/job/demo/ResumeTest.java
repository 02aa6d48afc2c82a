package dev.fencing.examples.job.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.examples.job.demo.Mark.Kind;
import dev.fencing.fixtures.ChildJvm;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A leader that is killed: the next one goes on where the database says. */
class ResumeTest {

  private static final Duration BOUND = Duration.ofSeconds(30);
  private static final int BATCH = 10;
  private static final int KILLED_AT = 40;

  private final TestLedger ledger = TestLedger.create(100);

  @AfterEach
  void dropTheTables() {
    TestLedger.drop();
  }

  /** Killed with a batch read but not written, and with one that is just written. */
  @ParameterizedTest
  @EnumSource(names = {"COMPUTED", "WRITTEN"})
  void afterTheLeaderIsKilledEveryAccountIsCreditedOnce(Kind killedAt) throws Exception {
    try (TestZooKeeper zookeeper = TestZooKeeper.start()) {
      Servers servers = new Servers(zookeeper.address(), TestLedger.database());
      try (ChildJvm first = worker("first", servers);
          ChildJvm second = worker("second", servers)) {
        goOn(first, Kind.READY);
        long token = next(first, Kind.LEADING).number("token");
        Mark last = next(first, Kind.COMPUTED);
        while (last.kind() != killedAt || last.number("from") < KILLED_AT) {
          first.send("go");
          last = Mark.parse(first.readLine(BOUND));
        }
        goOn(second, Kind.READY);
        first.kill();

        assertThat(next(second, Kind.LEADING).number("token")).isGreaterThan(token);
        Mark resumed = next(second, Kind.COMPUTED);
        assertThat(resumed.number("from"))
            .isEqualTo(killedAt == Kind.COMPUTED ? KILLED_AT : KILLED_AT + BATCH);
        Mark mark = resumed;
        while (mark.kind() != Kind.DONE) {
          second.send("go");
          mark = Mark.parse(second.readLine(BOUND));
        }
      }
    }

    Audit audit = ledger.audit(Map.of());
    assertThat(audit.findings()).isEmpty();
    assertThat(audit.foundCents()).isEqualTo(audit.expectedCents());
  }

  private static ChildJvm worker(String name, Servers servers) throws IOException {
    List<String> args = WorkerMain.arguments(name, servers, "/resume", BATCH, 0, true);
    return ChildJvm.start(WorkerMain.class, args.toArray(String[]::new));
  }

  private static void goOn(ChildJvm worker, Kind kind) throws IOException, InterruptedException {
    next(worker, kind);
    worker.send("go");
  }

  private static Mark next(ChildJvm worker, Kind kind) throws InterruptedException {
    Mark mark = Mark.parse(worker.readLine(BOUND));
    assertThat(mark.kind()).isEqualTo(kind);
    return mark;
  }
}
