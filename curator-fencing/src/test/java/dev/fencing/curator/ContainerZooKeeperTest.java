package dev.fencing.curator;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

/** All contracts on the ZooKeeper image; skipped where there is no Docker. */
@Tag("containers")
@Testcontainers(disabledWithoutDocker = true)
class ContainerZooKeeperTest {

  private static final int CLIENT_PORT = 2181;

  @Container private static final GenericContainer<?> SERVER = server();

  static GenericContainer<?> server() {
    return new GenericContainer<>("zookeeper:3.9")
        .withEnv("ZOO_TICK_TIME", Integer.toString(ZooKeeperCase.TICK_MS))
        .withEnv("ZOO_4LW_COMMANDS_WHITELIST", "srvr,wchs")
        .withEnv("ZOO_MAX_CLIENT_CNXNS", "0")
        .withExposedPorts(CLIENT_PORT);
  }

  static int portOf(GenericContainer<?> server) {
    return server.getMappedPort(CLIENT_PORT);
  }

  @Nested
  class FencedMutexDropIn extends DropInContract {
    @Override
    int port() {
      return portOf(SERVER);
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
      return portOf(SERVER);
    }
  }

  @Nested
  class SessionLoss extends SessionLossContract {
    @Override
    int port() {
      return portOf(SERVER);
    }
  }

  @Nested
  class LostReply extends LostReplyContract {
    @Override
    int port() {
      return portOf(SERVER);
    }
  }

  @Nested
  class Interrupt extends InterruptContract {
    @Override
    int port() {
      return portOf(SERVER);
    }
  }

  @Nested
  class Lease extends LeaseContract {
    @Override
    int port() {
      return portOf(SERVER);
    }
  }

  @Nested
  class AsyncLease extends AsyncLeaseContract {
    @Override
    int port() {
      return portOf(SERVER);
    }
  }

  @Nested
  class LeaseLoss extends LeaseLossContract {
    @Override
    int port() {
      return portOf(SERVER);
    }
  }

  @Nested
  class Wait extends WaitContract {
    @Override
    int port() {
      return portOf(SERVER);
    }
  }

  @Nested
  class FencedReadWriteLock extends ReadWriteContract {
    @Override
    int port() {
      return portOf(SERVER);
    }

    @Override
    Locks newLocks(CuratorFramework client, String path) {
      return Locks.fenced(client, path);
    }

    @Override
    Locks otherLocks(CuratorFramework client, String path) {
      return Locks.plain(client, path);
    }
  }

  @Nested
  class WriteToken extends ReadWriteTokenContract {
    @Override
    int port() {
      return portOf(SERVER);
    }
  }

  @Nested
  class Leader extends LeaderContract {
    @Override
    int port() {
      return portOf(SERVER);
    }
  }

  @Nested
  class LeaderLoss extends LeaderLossContract {
    @Override
    int port() {
      return portOf(SERVER);
    }
  }
}
