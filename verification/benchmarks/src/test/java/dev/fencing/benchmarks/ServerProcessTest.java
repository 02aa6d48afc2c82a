package dev.fencing.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher;
import org.junit.jupiter.api.Test;

class ServerProcessTest {

  private static final Duration BOUND = Duration.ofSeconds(20);

  @Test
  void requestsAreCountedByKindAndContainersAreSwept() throws Exception {
    try (ServerProcess server = ServerProcess.start();
        CuratorFramework client = Clients.connect(server.address())) {
      ServerCounts before = server.settle(counts -> true, BOUND);

      client.create().withMode(CreateMode.CONTAINER).forPath("/box");
      client.create().forPath("/box/a");
      client.getChildren().usingWatcher((Watcher) e -> {}).forPath("/box");
      client.delete().forPath("/box/a");

      ServerCounts after = server.settle(counts -> true, BOUND);
      assertThat(after.requestsSince(before))
          .isEqualTo(
              Map.of("createContainer", 1L, "create2", 1L, "getChildren2", 1L, "delete", 1L));
      assertThat(after.total() - before.total()).isEqualTo(4);
      assertThat(after.znodes()).isEqualTo(before.znodes() + 1);

      client.getChildren().usingWatcher((Watcher) e -> {}).forPath("/");
      assertThat(server.counts().watches()).isEqualTo(before.watches() + 1);

      server.sweep();
      assertThat(server.settle(counts -> counts.znodes() == before.znodes(), BOUND).znodes())
          .isEqualTo(before.znodes());
    }
  }

  @Test
  void countsSurviveTheirLine() {
    ServerCounts counts = new ServerCounts(Map.of("create", 3L, "delete", 2L), 7, 8, 9);

    assertThat(ServerCounts.parse(counts.toLine())).isEqualTo(counts);
    assertThat(ServerCounts.parse("7 8 9")).isEqualTo(new ServerCounts(Map.of(), 7, 8, 9));
  }
}
