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
import org.jspecify.annotations.Nullable;

/** One client of an arm, alone on a row of its own. */
final class Lane implements AutoCloseable {

  private final Arm arm;
  private final Stage stage;
  private final int number;
  private final List<DelayingProxy> proxies = new ArrayList<>();
  private final List<Transaction> transactions = new ArrayList<>();
  private final long start = System.nanoTime();
  private final Equipment equipment;
  private @Nullable Client client;

  /** Starts the servers of the arm. */
  Lane(Arm arm, Stage stage, int number) throws IOException, InterruptedException {
    this.arm = arm;
    this.stage = stage;
    this.number = number;
    this.equipment = stage.equip(arm);
  }

  Arm arm() {
    return arm;
  }

  /**
   * Connects the client, and warms it up.
   *
   * @param oneWay how much later every byte arrives
   */
  void connect(Duration oneWay, int warmUps) throws Exception {
    Setup direct = stage.setup(arm, equipment).withoutThinking();
    Setup setup = oneWay.isZero() ? direct : behindProxies(direct, oneWay);
    client = Client.connect(arm, setup, number);
    client().warmUp(warmUps);
  }

  private Client client() {
    if (client == null) {
      throw new IllegalStateException("not connected");
    }
    return client;
  }

  /** Makes one transaction. */
  void transact(int round) {
    String row = stage.workload().row(number);
    Transaction done = client().run(new Planned(round, row, round, 0, false, false), () -> {});
    if (done.outcome() != Outcome.WRITTEN) {
      throw new ServerException(
          "%s: an uncontended transaction was %s: %s"
              .formatted(arm, done.outcome(), done.detail()));
    }
    transactions.add(done);
  }

  ArmRun toRun() throws Exception {
    return new ArmRun(
        arm.toString(),
        arm.promise(),
        client().leaseMillis(),
        transactions,
        List.of(),
        start,
        System.nanoTime(),
        0,
        0,
        0,
        Map.of());
  }

  private Setup behindProxies(Setup setup, Duration oneWay) throws IOException {
    List<String> redis = new ArrayList<>();
    for (String address : setup.redis()) {
      redis.add(proxy(address, oneWay));
    }
    return new Setup(
        setup.workload(),
        proxyOfDatabase(setup.jdbcUrl(), oneWay),
        proxy(setup.zookeeper(), oneWay),
        redis,
        setup.primaryFile(),
        proxy(setup.etcd(), oneWay),
        setup.leaseMillis(),
        setup.waitMillis(),
        setup.thinkMillis());
  }

  private String proxy(String address, Duration oneWay) throws IOException {
    if (address.isEmpty()) {
      return "";
    }
    int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
    DelayingProxy proxy = DelayingProxy.to(port, oneWay);
    proxies.add(proxy);
    return proxy.address();
  }

  private String proxyOfDatabase(String url, Duration oneWay) throws IOException {
    int start = url.lastIndexOf("127.0.0.1:");
    int end = url.indexOf('/', start);
    return url.substring(0, start) + proxy(url.substring(start, end), oneWay) + url.substring(end);
  }

  @Override
  public void close() throws IOException {
    if (client != null) {
      client.close();
    }
    for (DelayingProxy proxy : proxies) {
      proxy.close();
    }
    equipment.close();
  }
}
