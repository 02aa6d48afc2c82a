package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.fixtures.ChildJvm;
import java.util.List;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A holder whose whole process is stopped, as a VM pause does it. */
class FrozenHolderTest extends ZooKeeperCase {

  private static TestingServer server;

  @BeforeAll
  static void start() throws Exception {
    server = new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, 500, -1), true);
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @Override
  int port() {
    return server.getPort();
  }

  @Test
  void holderThatWasFrozenPastItsSessionKnowsItAtOnceAndIsToldOnce() throws Exception {
    try (ChildJvm child = ChildJvm.start(FrozenHolder.class, "127.0.0.1:" + port(), path, "1000")) {
      String token = child.readLine(PATIENCE);
      child.send("?");
      assertThat(child.readLine(PATIENCE)).isEqualTo("live true");

      child.freeze();
      long frozen = System.nanoTime();
      FencedLease next = new InterProcessFencedMutex(client(), path).acquireLease();
      // Its session may have been old when it froze; what it can know is how long it did not run.
      eventually(() -> System.nanoTime() - frozen > 2 * 1_000_000_000L);
      child.send("?"); // The first thing that it reads when it runs again.
      child.thaw();

      List<String> lines = List.of(child.readLine(PATIENCE), child.readLine(PATIENCE));
      assertThat(lines).containsExactlyInAnyOrder("live false", token.replace("token", "told"));
      child.send("?");
      assertThat(child.readLine(PATIENCE)).as("told once").isEqualTo("live false");
      assertThat(onlyNode().getCzxid()).isEqualTo(next.token());
      next.close();
    }
  }
}
