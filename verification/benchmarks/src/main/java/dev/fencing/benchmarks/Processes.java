package dev.fencing.benchmarks;

import dev.fencing.fixtures.ChildJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;

/** Several JVMs that want one lock, each with one thread and one session. */
final class Processes implements AutoCloseable {

  private static final int COUNT = 4;
  private static final Duration ANSWER = Duration.ofSeconds(60);
  private static final Duration RAMP_UP = Duration.ofMillis(300);
  private static final String DELETES = "sequential deletes";

  private final List<ChildJvm> contenders = new ArrayList<>();

  private Processes() {}

  static void run(ServerProcess server, Effort effort, Findings findings) throws Exception {
    try (CuratorFramework client = Clients.connect(server.address())) {
      Clients.lockPath(client, "/processes");
    }
    try (Processes processes = new Processes()) {
      for (int i = 0; i < COUNT; i++) {
        processes.contenders.add(
            ChildJvm.start(
                ContenderMain.class,
                server.address(),
                "/processes",
                Long.toString(RAMP_UP.toMillis()),
                Long.toString(effort.time().toMillis())));
      }
      for (ChildJvm contender : processes.contenders) {
        contender.readLine(ANSWER);
      }
      Rounds rounds =
          new Rounds()
              .with("Curator", () -> processes.handoffs("Curator"))
              .with("ours", () -> processes.handoffs("ours"))
              .with(DELETES, () -> Contended.deletes(server, effort))
              .run(effort.warmUps(), effort.rounds());
      findings.add("Curator, 4 JVMs × 1 thread", "handoffs/s", rounds.spread("Curator"));
      findings.add("ours, 4 JVMs × 1 thread", "handoffs/s", rounds.spread("ours"));
      findings.add(DELETES, "deletes/s", rounds.spread(DELETES));
      findings.add("ours / Curator", "×", rounds.ratio("ours", "Curator"));
      findings.add(
          "ours / sequential deletes", "×", rounds.ratio("ours", DELETES), Goal.aimAt(0.45));
    }
  }

  private double handoffs(String lock) throws Exception {
    for (ChildJvm contender : contenders) {
      contender.send(lock);
    }
    double sum = 0;
    for (ChildJvm contender : contenders) {
      sum += Double.parseDouble(contender.readLine(ANSWER));
    }
    return sum;
  }

  @Override
  public void close() {
    contenders.forEach(ChildJvm::close);
  }
}
