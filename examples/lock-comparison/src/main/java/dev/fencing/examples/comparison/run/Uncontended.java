package dev.fencing.examples.comparison.run;

import dev.fencing.examples.comparison.arm.Arm;
import dev.fencing.examples.comparison.arm.Setup;
import dev.fencing.examples.comparison.history.ArmRun;
import dev.fencing.examples.comparison.history.Outcome;
import dev.fencing.examples.comparison.history.Transaction;
import dev.fencing.examples.comparison.server.ServerException;
import dev.fencing.examples.comparison.work.Client;
import dev.fencing.examples.comparison.work.Planned;
import dev.fencing.fixtures.DelayingProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One client that nobody is in the way of and that does not think: what a lock and a write cost, on
 * loopback and with every server behind a line on which an answer takes two milliseconds.
 */
final class Uncontended {

  private static final Duration ONE_WAY = Duration.ofMillis(1);

  private final Stage stage;
  private final int warmUps;
  private final int rounds;

  Uncontended(Stage stage, int warmUps, int rounds) {
    this.stage = stage;
    this.warmUps = warmUps;
    this.rounds = rounds;
  }

  ArmRun onLoopback(Arm arm) throws Exception {
    return measure(arm, false);
  }

  ArmRun farAway(Arm arm) throws Exception {
    return measure(arm, true);
  }

  private ArmRun measure(Arm arm, boolean delayed) throws Exception {
    stage.tables().create(1, 1);
    try (Equipment equipment = stage.equip(arm);
        Proxies proxies = new Proxies()) {
      Setup direct = stage.setup(arm, equipment).withoutThinking();
      Setup setup = delayed ? proxies.inFrontOf(direct) : direct;
      try (Client client = Client.connect(arm, setup, 0)) {
        client.warmUp(warmUps);
        long start = System.nanoTime();
        List<Transaction> transactions = new ArrayList<>();
        for (int number = 1; number <= rounds; number++) {
          String row = stage.workload().row(0);
          Transaction done =
              client.run(new Planned(number, row, number, 0, false, false), () -> {});
          if (done.outcome() != Outcome.WRITTEN) {
            throw new ServerException(
                "%s: an uncontended transaction was %s: %s"
                    .formatted(arm, done.outcome(), done.detail()));
          }
          transactions.add(done);
        }
        return new ArmRun(
            arm.toString(),
            arm.promise(),
            client.leaseMillis(),
            transactions,
            List.of(),
            start,
            System.nanoTime(),
            0,
            0,
            0,
            Map.of());
      }
    }
  }

  /** One in front of each server of an arm. */
  private static final class Proxies implements AutoCloseable {

    private final List<DelayingProxy> proxies = new ArrayList<>();

    Setup inFrontOf(Setup setup) throws IOException {
      List<String> redis = new ArrayList<>();
      for (String address : setup.redis()) {
        redis.add(inFrontOf(address));
      }
      return new Setup(
          setup.workload(),
          inFrontOfDatabase(setup.jdbcUrl()),
          inFrontOf(setup.zookeeper()),
          redis,
          setup.primaryFile(),
          inFrontOf(setup.etcd()),
          setup.leaseMillis(),
          setup.waitMillis(),
          setup.thinkMillis());
    }

    private String inFrontOf(String address) throws IOException {
      return address.isEmpty() ? "" : open(address.substring(address.indexOf(':') + 1));
    }

    private String inFrontOfDatabase(String url) throws IOException {
      int start = url.lastIndexOf("127.0.0.1:");
      int end = url.indexOf('/', start);
      String port = url.substring(url.indexOf(':', start) + 1, end);
      return url.substring(0, start) + open(port) + url.substring(end);
    }

    private String open(String port) throws IOException {
      DelayingProxy proxy = DelayingProxy.to(Integer.parseInt(port), ONE_WAY);
      proxies.add(proxy);
      return proxy.address();
    }

    @Override
    public void close() throws IOException {
      for (DelayingProxy proxy : proxies) {
        proxy.close();
      }
    }
  }
}
