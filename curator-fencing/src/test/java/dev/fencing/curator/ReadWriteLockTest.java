package dev.fencing.curator;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** The read/write lock, that of Curator, and one of each on one path. */
class ReadWriteLockTest {

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

  private abstract static class OnTheServer extends ReadWriteContract {
    @Override
    int port() {
      return server.getPort();
    }
  }

  @Nested
  class Plain extends OnTheServer {
    @Override
    Locks newLocks(CuratorFramework client, String path) {
      return Locks.plain(client, path);
    }

    @Override
    Locks otherLocks(CuratorFramework client, String path) {
      return Locks.plain(client, path);
    }
  }

  @Nested
  class Fenced extends OnTheServer {
    @Override
    Locks newLocks(CuratorFramework client, String path) {
      return Locks.fenced(client, path);
    }

    @Override
    Locks otherLocks(CuratorFramework client, String path) {
      return Locks.fenced(client, path);
    }
  }

  @Nested
  class FencedAmongPlain extends OnTheServer {
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
  class PlainAmongFenced extends OnTheServer {
    @Override
    Locks newLocks(CuratorFramework client, String path) {
      return Locks.plain(client, path);
    }

    @Override
    Locks otherLocks(CuratorFramework client, String path) {
      return Locks.fenced(client, path);
    }
  }

  @Nested
  class WriteToken extends ReadWriteTokenContract {
    @Override
    int port() {
      return server.getPort();
    }
  }
}
