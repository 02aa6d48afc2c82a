package dev.fencing.curator;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** All contracts on a ZooKeeper server in this JVM. */
class EmbeddedZooKeeperTest {

  private static TestingServer server;

  @BeforeAll
  static void start() throws Exception {
    server =
        new TestingServer(
            new InstanceSpec(null, -1, -1, -1, true, -1, ZooKeeperCase.TICK_MS, -1), true);
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @Nested
  class FencedMutexDropIn extends DropInContract {
    @Override
    int port() {
      return server.getPort();
    }

    @Override
    InterProcessMutex newMutex(CuratorFramework client, String path) {
      return new InterProcessFencedMutex(client, path);
    }
  }

  @Nested
  class Token extends TokenContract {
    @Override
    int port() {
      return server.getPort();
    }
  }

  @Nested
  class SessionLoss extends SessionLossContract {
    @Override
    int port() {
      return server.getPort();
    }
  }

  @Nested
  class LostReply extends LostReplyContract {
    @Override
    int port() {
      return server.getPort();
    }
  }

  @Nested
  class Interrupt extends InterruptContract {
    @Override
    int port() {
      return server.getPort();
    }
  }

  @Nested
  class Lease extends LeaseContract {
    @Override
    int port() {
      return server.getPort();
    }
  }

  @Nested
  class AsyncLease extends AsyncLeaseContract {
    @Override
    int port() {
      return server.getPort();
    }
  }

  @Nested
  class LeaseLoss extends LeaseLossContract {
    @Override
    int port() {
      return server.getPort();
    }
  }

  @Nested
  class Wait extends WaitContract {
    @Override
    int port() {
      return server.getPort();
    }
  }

  @Nested
  class Leader extends LeaderContract {
    @Override
    int port() {
      return server.getPort();
    }
  }

  @Nested
  class LeaderLoss extends LeaderLossContract {
    @Override
    int port() {
      return server.getPort();
    }
  }
}
