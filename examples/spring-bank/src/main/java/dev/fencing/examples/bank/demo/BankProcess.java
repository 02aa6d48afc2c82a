package dev.fencing.examples.bank.demo;

import dev.fencing.fixtures.ChildJvm;
import dev.fencing.fixtures.Reaper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A process of the bank, which can be frozen, and killed and started again. For one thread. */
final class BankProcess {

  private static final Duration START = Duration.ofMinutes(2);
  private static final List<String> JVM =
      List.of("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData");
  private static final String MAIN = "dev.fencing.examples.bank.BankApplication";
  private static final int LAST_LINES = 5;

  private final String name;
  private final Teller teller;
  private final Path log;
  private final List<String> arguments;
  private final Reaper reaper;
  private @Nullable ChildJvm jvm;

  BankProcess(
      String name, int port, List<String> peers, Servers servers, Path directory, Reaper reaper)
      throws Exception {
    this.name = name;
    this.teller = new Teller("http://127.0.0.1:" + port);
    this.log = directory.resolve(name + ".log");
    this.reaper = reaper;
    this.arguments =
        List.of(
            "--server.address=127.0.0.1",
            "--server.port=" + port,
            "--bank.peers=" + String.join(",", peers),
            "--spring.datasource.url=" + servers.jdbcUrl(),
            "--fencing.curator.connect-string=" + servers.zookeeper(),
            // On a busy machine the first connection may take longer than a session.
            "--fencing.curator.lazy=true",
            "--fencing.jdbc.holder=" + name,
            "--spring.main.banner-mode=off",
            "--logging.threshold.console=off",
            "--logging.file.name=" + log);
  }

  String name() {
    return name;
  }

  Teller teller() {
    return teller;
  }

  /** Starts the JVM and returns at once. */
  void start() throws IOException, ClassNotFoundException {
    List<String> options = new ArrayList<>(JVM);
    options.add("-Djava.io.tmpdir=" + log.getParent());
    ChildJvm started =
        ChildJvm.start(options, Class.forName(MAIN), arguments.toArray(String[]::new));
    reaper.started(started.handle().pid());
    jvm = started;
  }

  /** Waits until it answers. */
  void awaitReady() throws IOException, InterruptedException {
    long start = System.nanoTime();
    while (teller.live().isEmpty()) {
      if (!jvm().handle().isAlive() || System.nanoTime() - start > START.toNanos()) {
        throw new DemoException(
            "%s does not answer at %s after %d s; its last lines: %s"
                .formatted(
                    name,
                    teller.url(),
                    TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start),
                    lastLines()));
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private String lastLines() throws IOException {
    if (Files.notExists(log)) {
      return "none";
    }
    List<String> lines = Files.readAllLines(log);
    return String.join(" | ", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
  }

  void freeze() throws IOException, InterruptedException {
    jvm().freeze();
  }

  void wake() throws IOException, InterruptedException {
    jvm().thaw();
  }

  void kill() throws InterruptedException {
    jvm().kill();
    reaper.ended(jvm().handle().pid());
  }

  private ChildJvm jvm() {
    if (jvm == null) {
      throw new IllegalStateException(name + " was not started");
    }
    return jvm;
  }
}
