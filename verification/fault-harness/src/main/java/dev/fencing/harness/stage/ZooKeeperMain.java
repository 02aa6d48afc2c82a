package dev.fencing.harness.stage;

import java.io.IOException;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/** One ZooKeeper server of the ensemble; ends with its standard input. */
final class ZooKeeperMain {

  private ZooKeeperMain() {}

  /** Takes the configuration file. */
  public static void main(String[] args) {
    Thread watch = new Thread(ZooKeeperMain::haltAtEndOfInput, "watch");
    watch.setDaemon(true);
    watch.start();
    QuorumPeerMain.main(args);
  }

  private static void haltAtEndOfInput() {
    try {
      while (System.in.read() >= 0) {
        // Only the end counts.
      }
    } catch (IOException e) {
      // As good as its end.
    }
    Runtime.getRuntime().halt(0);
  }
}
