package dev.fencing.examples.job.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fencing.examples.job.Money;
import dev.fencing.examples.job.OpeningBalance;
import dev.fencing.fixtures.PostgresServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The demo, run in this JVM.
 *
 * @param exit its exit code
 * @param out what it printed
 * @param err what it said on standard error
 */
record DemoRun(int exit, String out, String err) {

  static DemoRun of(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exit = Demo.run(new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8), args);
    return new DemoRun(exit, out.toString(UTF_8), err.toString(UTF_8));
  }

  /** The arguments that name a ZooKeeper and the shared PostgreSQL of the tests. */
  static List<String> servers(String zookeeper) {
    PostgresServer postgres = PostgresServer.shared();
    return List.of(
        "--zookeeper", zookeeper, "--jdbc-url", postgres.url(), "--user", postgres.user());
  }

  static List<OpeningBalance> accounts(int count) {
    return IntStream.rangeClosed(1, count)
        .mapToObj(number -> new OpeningBalance("T-" + number, number * 12_345L))
        .toList();
  }

  static Path write(Path file, List<OpeningBalance> accounts) throws IOException {
    StringBuilder csv = new StringBuilder("account,balance\n");
    for (OpeningBalance account : accounts) {
      String balance = Money.format(account.cents()).replace(",", "");
      csv.append(account.account()).append(',').append(balance).append('\n');
    }
    return Files.writeString(file, csv);
  }
}
