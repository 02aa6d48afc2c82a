package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fencing.fixtures.TcpProxy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A test on a real ZooKeeper server: clients, an observer of its own, and faults. */
abstract class ZooKeeperCase {

  static final Duration PATIENCE = Duration.ofSeconds(20);
  static final int TICK_MS = 1_000;
  static final int SESSION_MS = 20_000; // the most that a server with this tick grants

  /** Far less than a session: what goes within this time was not left to the session's end. */
  static final Duration SOON = Duration.ofSeconds(8);

  private static final ACL ANYONE = new ACL(31, new Id("world", "anyone"));

  private final List<CuratorFramework> clients = new ArrayList<>();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "contender");
            thread.setDaemon(true);
            return thread;
          });
  private @Nullable TcpProxy proxy;

  /** Sees the server's truth; not the client under test. */
  ZooKeeper observer;

  /** The lock path of this test; its parent does not exist yet. */
  String path;

  /** The port of the server on loopback. */
  abstract int port();

  @BeforeEach
  void connect() throws Exception {
    observer = connect(0, new byte[0]);
    path = "/locks-" + Long.toString(System.nanoTime(), 36);
  }

  @AfterEach
  void leaveNothing() throws Exception {
    threads.shutdownNow();
    assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).as("threads ended").isTrue();
    List<String> left = List.of();
    try {
      awaitChildren(0);
    } catch (ConditionTimeoutException stillThere) {
      left = children(path);
    }
    if (observer.exists(path, false) != null) {
      observer.delete(path, -1);
    }
    closeAll();
    assertThat(left).as("lock nodes left").isEmpty();
  }

  /** At the same time, because every close of a ZooKeeper handle takes 100 ms. */
  private void closeAll() throws Exception {
    ExecutorService closers = Executors.newCachedThreadPool();
    List<Future<?>> closed = new ArrayList<>();
    for (CuratorFramework client : clients) {
      closed.add(closers.submit(client::close));
    }
    observer.close();
    for (Future<?> each : closed) {
      get(each);
    }
    closers.shutdown();
    if (proxy != null) {
      proxy.close();
    }
  }

  TcpProxy proxy() throws IOException {
    TcpProxy existing = proxy;
    if (existing == null) {
      existing = TcpProxy.to(port());
      proxy = existing;
    }
    return existing;
  }

  CuratorFramework client() throws Exception {
    return client(port(), builder -> builder);
  }

  /** A client whose connection the test can break. */
  CuratorFramework proxiedClient() throws Exception {
    return client(proxy().port(), builder -> builder);
  }

  CuratorFramework proxiedClient(UnaryOperator<CuratorFrameworkFactory.Builder> change)
      throws Exception {
    return client(proxy().port(), change);
  }

  /** A client that gives up soon when it cannot reach ZooKeeper. */
  CuratorFramework impatientClient() throws Exception {
    return proxiedClient(
        builder -> builder.connectionTimeoutMs(500).retryPolicy(new RetryOneTime(50)));
  }

  CuratorFramework client(int port, UnaryOperator<CuratorFrameworkFactory.Builder> change)
      throws Exception {
    CuratorFramework client =
        change
            .apply(
                CuratorFrameworkFactory.builder()
                    .connectString("127.0.0.1:" + port)
                    .ensembleTracker(false) // it would set a watch of its own at some time
                    .sessionTimeoutMs(SESSION_MS)
                    .connectionTimeoutMs(5_000)
                    .retryPolicy(new RetryNTimes(50, 100)))
            .build();
    clients.add(client);
    client.start();
    assertThat(client.blockUntilConnected(20, TimeUnit.SECONDS)).as("connected").isTrue();
    return client;
  }

  interface Action {
    void run() throws Exception;
  }

  /**
   * Runs an action while ZooKeeper cannot be reached through the proxy: every connection is reset.
   * The sessions live on at the server.
   */
  void whileZooKeeperIsAway(Action action) throws Exception {
    TcpProxy proxy = proxy();
    CountDownLatch over = new CountDownLatch(1);
    proxy.silence(); // so that nothing passes between two resets
    Future<?> resets =
        inThread(
            () -> {
              do {
                proxy.cut();
              } while (!over.await(5, TimeUnit.MILLISECONDS));
              return null;
            });
    try {
      action.run();
    } finally {
      over.countDown();
      get(resets);
      proxy.restore();
    }
  }

  /** Ends the client's session on the server. The client is not told; break its connection. */
  void expireOnServer(CuratorFramework client) throws Exception {
    ZooKeeper handle = client.getZookeeperClient().getZooKeeper();
    connect(handle.getSessionId(), handle.getSessionPasswd()).close();
  }

  /** Makes the client give its session up, as Curator's own timer does; the server keeps it. */
  static void expireOnClient(CuratorFramework client) throws Exception {
    clientExpiry(client).run();
  }

  /**
   * Prepares {@link #expireOnClient} for a client that is about to lose its connection.
   *
   * <p>It is done on the event thread, which is blocked until then. From another thread, the event
   * thread may see the expiry before the handle is marked as closed, and then closes the session on
   * the server as well.
   */
  static Action clientExpiry(CuratorFramework client) throws Exception {
    ZooKeeper handle = client.getZookeeperClient().getZooKeeper();
    CountDownLatch strike =
        blockEventThread(client, () -> handle.getTestable().injectSessionExpiration());
    return () -> {
      strike.countDown();
      eventually(() -> !handle.getState().isAlive());
    };
  }

  /** Keeps the client's event thread from delivering anything until the latch is opened. */
  static CountDownLatch blockEventThread(CuratorFramework client) throws Exception {
    return blockEventThread(client, () -> {});
  }

  /**
   * Waits until the client has heard of what the server has done for it: that a node is there does
   * not mean that its maker knows.
   */
  static void awaitCaughtUp(CuratorFramework client) throws Exception {
    blockEventThread(client).countDown();
  }

  private static CountDownLatch blockEventThread(CuratorFramework client, Action then)
      throws Exception {
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch open = new CountDownLatch(1);
    client
        .checkExists()
        .inBackground(
            (source, event) -> {
              blocked.countDown();
              open.await();
              then.run();
            })
        .forPath("/");
    assertThat(blocked.await(10, TimeUnit.SECONDS)).isTrue();
    return open;
  }

  /**
   * Runs an action with the interrupt status set and asserts that it is set afterwards.
   *
   * @return whether it threw InterruptedException; a request that is answered before the thread
   *     begins to wait for the answer does not
   */
  static boolean interruptedIn(Action action) throws Exception {
    Thread.currentThread().interrupt();
    boolean thrown = false;
    try {
      action.run();
    } catch (InterruptedException e) {
      thrown = true;
    }
    assertThat(Thread.interrupted()).as("interrupt status").isTrue();
    return thrown;
  }

  /** Waits until the client has an answer; Curator itself may not know yet that it lost touch. */
  static void awaitAnswer(CuratorFramework client) {
    eventually(
        () -> {
          try {
            client.getZookeeperClient().getZooKeeper().exists("/", false);
            return true;
          } catch (KeeperException.ConnectionLossException e) {
            return false;
          }
        });
  }

  static long session(CuratorFramework client) throws Exception {
    return client.getZookeeperClient().getZooKeeper().getSessionId();
  }

  <T> Future<T> inThread(Callable<T> work) {
    return threads.submit(work);
  }

  static <T> T within(Duration bound, Future<T> future) throws Exception {
    return future.get(bound.toMillis(), TimeUnit.MILLISECONDS);
  }

  static <T> T get(Future<T> future) throws Exception {
    return within(PATIENCE, future);
  }

  List<String> children(String parent) throws Exception {
    try {
      return observer.getChildren(parent, false);
    } catch (KeeperException.NoNodeException e) {
      return List.of();
    }
  }

  void awaitChildren(int count) {
    eventually(() -> children(path).size() == count);
  }

  void soonNoChildren() {
    within(SOON, () -> children(path).isEmpty());
  }

  /** Waits until the condition holds; it is evaluated on the calling thread. */
  static void eventually(Callable<Boolean> condition) {
    within(PATIENCE, condition);
  }

  static void within(Duration bound, Callable<Boolean> condition) {
    await()
        .atMost(bound)
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .until(condition);
  }

  /** False while the observer has no connection. */
  static Callable<Boolean> whenConnected(Callable<Boolean> condition) {
    return () -> {
      try {
        return condition.call();
      } catch (KeeperException.ConnectionLossException e) {
        return false;
      }
    };
  }

  /** The stat of the only lock node there is. */
  Stat onlyNode() throws Exception {
    return onlyNode(path);
  }

  Stat onlyNode(String parent) throws Exception {
    List<String> children = children(parent);
    assertThat(children).hasSize(1);
    return observer.exists(parent + "/" + children.get(0), false);
  }

  void createParent(String node) throws Exception {
    observer.create(node, new byte[0], Collections.singletonList(ANYONE), CreateMode.PERSISTENT);
  }

  /** The number of znodes at the server. */
  long nodesAtTheServer() throws IOException {
    return figure("srvr", "Node count:");
  }

  /** The number of watches that clients have set at the server. */
  long watchesAtTheServer() throws IOException {
    return figure("wchs", "Total watches:");
  }

  /** The number of requests that the server has received; old servers count the question too. */
  long requests() throws IOException {
    return figure("srvr", "Received:");
  }

  private long figure(String command, String name) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      socket.getOutputStream().write(command.getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return answer
          .lines()
          .filter(line -> line.startsWith(name))
          .mapToLong(line -> Long.parseLong(line.substring(name.length()).strip()))
          .findFirst()
          .orElseThrow(() -> new AssertionError("no " + name + " in: " + answer));
    }
  }

  private ZooKeeper connect(long session, byte[] password) throws Exception {
    CountDownLatch connected = new CountDownLatch(1);
    ZooKeeper handle =
        new ZooKeeper(
            "127.0.0.1:" + port(),
            SESSION_MS,
            event -> {
              if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
              }
            },
            session,
            password);
    assertThat(connected.await(20, TimeUnit.SECONDS)).as("connected").isTrue();
    return handle;
  }
}
