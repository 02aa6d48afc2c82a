package dev.fencing.harness.arm;

import dev.fencing.harness.history.Row;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/**
 * A guard as somebody might write it by hand, and right but for what a mutant changes: it raises in
 * a transaction of its own, checks first with a lock for an equal token, and gives up when in
 * doubt.
 */
class HandWritten implements Guard {

  final Job job;

  HandWritten(Job job) {
    this.job = job;
  }

  @Override
  public Raise raises() {
    return Raise.APART;
  }

  @Override
  public void raise() throws Exception {
    try (Connection connection = job.database().getConnection()) {
      for (String fence : fences()) {
        raise(connection, fence, "<");
      }
    }
  }

  /** The fences of what is written. */
  List<String> fences() {
    return List.of(job.resource());
  }

  /** Raises one fence if what it holds is, for example, less. */
  final void raise(Connection connection, String fence, String comparison)
      throws SQLException, RefusedException {
    String sql =
        "INSERT INTO hand_fence AS f VALUES (?, ?) ON CONFLICT (resource) DO UPDATE"
            + " SET token = excluded.token WHERE f.token "
            + comparison
            + " excluded.token";
    try (PreparedStatement raise = connection.prepareStatement(sql)) {
      raise.setString(1, fence);
      raise.setLong(2, job.grant().token());
      if (raise.executeUpdate() == 0) {
        throw new RefusedException("the fence of " + fence + " is not below the token");
      }
    }
  }

  @Override
  public Map<String, Row> read() throws Exception {
    try (Connection connection = job.database().getConnection()) {
      return Tables.read(connection, job.workload(), job.reads());
    }
  }

  @Override
  public void write(Change change, Pause pause) throws Exception {
    inTransaction(
        connection -> {
          for (String fence : fences()) {
            check(connection, fence, change.token());
          }
          Tables.write(connection, change, "", "");
          pause.beforeCommit(connection);
        });
  }

  @Override
  public void recover() throws Exception {
    throw new HoldOverException("gives up after an unknown outcome");
  }

  /** Locks a fence shared until the transaction ends, and refuses any other token. */
  static void check(Connection connection, String fence, long token)
      throws SQLException, RefusedException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT token FROM hand_fence WHERE resource = ? FOR SHARE")) {
      select.setString(1, fence);
      try (ResultSet row = select.executeQuery()) {
        if (!row.next() || row.getLong(1) != token) {
          throw new RefusedException("the fence of " + fence + " is not at token " + token);
        }
      }
    }
  }

  /** What is done between BEGIN and COMMIT. */
  interface Work {
    void run(Connection connection) throws Exception;
  }

  final void inTransaction(Work work) throws Exception {
    try (Connection connection = job.database().getConnection()) {
      connection.setAutoCommit(false);
      try {
        work.run(connection);
      } catch (Exception e) {
        connection.rollback();
        throw e;
      }
      commit(connection);
    }
  }

  private static void commit(Connection connection) throws SQLException, DoubtException {
    try {
      connection.commit();
    } catch (SQLException e) {
      if (isSilence(e)) {
        throw new DoubtException(e);
      }
      throw e;
    }
  }

  /** Whether it says that the connection broke, and nothing of the server. */
  static boolean isSilence(SQLException e) {
    String state = e.getSQLState();
    return state == null || state.startsWith("08") || state.startsWith("57P");
  }
}
