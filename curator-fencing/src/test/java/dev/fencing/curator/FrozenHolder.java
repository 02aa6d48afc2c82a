package dev.fencing.curator;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;

/** Acquires a lease in a JVM of its own and answers whether it believes in it. */
final class FrozenHolder {

  private FrozenHolder() {}

  public static void main(String[] args) throws Exception {
    try (CuratorFramework client =
        CuratorFrameworkFactory.newClient(
            args[0], Integer.parseInt(args[2]), 5_000, new RetryNTimes(50, 100))) {
      client.start();
      FencedLease lease = new InterProcessFencedMutex(client, args[1]).acquireLease();
      lease.onLost(lost -> System.out.println("told " + lost.token()));
      System.out.println("token " + lease.token());
      BufferedReader questions =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      while (questions.readLine() != null) {
        System.out.println("live " + lease.isLive());
      }
    }
  }
}
