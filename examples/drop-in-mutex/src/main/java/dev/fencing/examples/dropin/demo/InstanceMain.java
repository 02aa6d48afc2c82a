package dev.fencing.examples.dropin.demo;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.examples.dropin.Order;
import dev.fencing.examples.dropin.Packer;
import dev.fencing.examples.dropin.Shop;
import dev.fencing.examples.job.demo.Pools;
import dev.fencing.examples.job.demo.Servers;
import dev.fencing.jdbc.StaleTokenException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * The process of one instance: a version of the warehouse that is told by lines what to ship.
 *
 * <p>{@code work ARTICLE COUNT} ships orders of one piece until there were that many or another
 * line comes; {@code pause ARTICLE} ships one and waits for a line while it packs; {@code end}
 * ends. It tells {@code ready}, {@code packing}, {@code shipped}, {@code refused} and {@code
 * failed} with what was thrown, and {@code idle} after each line that it was told.
 */
final class InstanceMain {

  static final String READY = "ready";
  static final String PACKING = "packing";
  static final String SHIPPED = "shipped";
  static final String REFUSED = "refused ";
  static final String IDLE = "idle";

  private static final String FAILED = "failed ";
  private static final String NO_CHECK_PASSED = "FEN02"; // What the enforcement refuses with.
  private static final int DEMO_IS_GONE = 4;

  private final String name;
  private final Shop shop;
  private final PrintStream out;
  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
  private int orders;

  private InstanceMain(String name, Shop shop, PrintStream out) {
    this.name = name;
    this.shop = shop;
    this.out = out;
  }

  /**
   * Runs one instance.
   *
   * @param args its name, the version, ZooKeeper's address, the session timeout in milliseconds,
   *     the JDBC URL and the user
   */
  public static void main(String[] args) throws Exception {
    PrintStream out = System.out;
    // What any library prints must not come between our lines.
    System.setOut(System.err);
    String name = args[0];
    Version version = Version.valueOf(args[1]);
    int session = Integer.parseInt(args[3]);
    var database = new Servers.Database(args[4], args[5], null);
    try (CuratorFramework zookeeper =
            CuratorFrameworkFactory.newClient(
                args[2], session, session, new ExponentialBackoffRetry(100, 5));
        HikariDataSource pool = Pools.open(database, name, 2)) {
      zookeeper.start();
      zookeeper.blockUntilConnected();
      new InstanceMain(name, version.open(zookeeper, pool), out).serve();
    }
  }

  private void serve() throws InterruptedException {
    Thread reader = new Thread(this::read, "told");
    reader.setDaemon(true);
    reader.start();
    say(READY);
    for (String line = told.take(); !line.equals("end"); line = told.take()) {
      String[] words = line.split(" ", -1);
      switch (words[0]) {
        case "work" -> work(words[1], Integer.parseInt(words[2]));
        case "pause" -> ship(words[1], this::packUntilTold);
        default -> {
          // The line that has ended the work.
        }
      }
      say(IDLE);
    }
  }

  private void work(String article, int count) {
    boolean well = true;
    for (int i = 0; well && i < count && told.isEmpty(); i++) {
      // With a moment between read and write, in which a second holder would do its damage.
      well = ship(article, (order, onShelf) -> TimeUnit.MILLISECONDS.sleep(1));
    }
  }

  private boolean ship(String article, Packer packer) {
    orders++;
    try {
      shop.ship(new Order(name + "-" + orders, article, 1), packer);
      say(SHIPPED);
      return true;
    } catch (StaleTokenException e) {
      say(REFUSED + brief(e));
    } catch (SQLException e) {
      say((NO_CHECK_PASSED.equals(e.getSQLState()) ? REFUSED : FAILED) + brief(e));
    } catch (Exception e) {
      say(FAILED + brief(e));
    }
    return false;
  }

  private void packUntilTold(Order order, int onShelf) throws InterruptedException {
    say(PACKING);
    told.take();
  }

  private static String brief(Exception e) {
    return e.getClass().getSimpleName() + ": " + e.getMessage();
  }

  private void say(String line) {
    out.println(line.replaceAll("\\s+", " ").strip());
    out.flush();
  }

  private void read() {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        told.add(line);
      }
    } catch (IOException e) {
      // The same as its end.
    }
    Runtime.getRuntime().halt(DEMO_IS_GONE);
  }
}
