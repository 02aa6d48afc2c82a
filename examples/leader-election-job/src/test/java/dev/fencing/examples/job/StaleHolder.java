package dev.fencing.examples.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fencing.curator.FencedLease;
import dev.fencing.curator.InterProcessFencedMutex;
import dev.fencing.examples.job.demo.TestZooKeeper;
import dev.fencing.jdbc.FencedResource;
import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.StaleTokenException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.postgresql.ds.PGSimpleDataSource;

/** The process that {@link StaleHolderTest} freezes: it reads, checks its lease, waits, writes. */
final class StaleHolder {

  static final String LOCK = "/stale-holder";
  static final String RESOURCE = "account";
  static final String FENCE = "stale_holder_fence";

  private StaleHolder() {}

  public static void main(String[] args) throws Exception {
    PGSimpleDataSource database = new PGSimpleDataSource();
    database.setPortNumbers(new int[] {Integer.parseInt(args[1])});
    database.setDatabaseName("postgres");
    database.setUser("postgres");
    try (CuratorFramework client = TestZooKeeper.connect(args[0]);
        FencedLease lease = new InterProcessFencedMutex(client, LOCK).acquireLease()) {
      FencedResource account = fence(database).raise(RESOURCE, lease.token());
      System.out.println("read " + account.inTransaction(StaleHolder::read));
      System.out.println("token " + lease.token());
      System.out.println("live " + lease.isLive());
      // Here it is frozen.
      String line = new BufferedReader(new InputStreamReader(System.in, UTF_8)).readLine();
      long computed = Long.parseLong(line.substring("write ".length()));
      try {
        account.inTransaction(connection -> write(connection, computed));
        System.out.println("written");
      } catch (StaleTokenException e) {
        System.out.println("StaleTokenException " + e.getMessage());
      }
    }
  }

  static JdbcFence fence(DataSource database) {
    return JdbcFence.builder(database).table(FENCE).build();
  }

  static long read(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT balance FROM stale_holder_account")) {
      row.next();
      return row.getLong(1);
    }
  }

  static int write(Connection connection, long balance) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("UPDATE stale_holder_account SET balance = ?")) {
      statement.setLong(1, balance);
      return statement.executeUpdate();
    }
  }
}
