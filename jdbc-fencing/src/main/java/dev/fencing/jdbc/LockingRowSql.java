package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Row mode on databases whose UPDATE returns nothing but a count: it is followed by a locking read
 * of the fence, and a claim is preceded by one of the row.
 */
abstract class LockingRowSql implements RowSql {

  /** An INSERT that loses the race for a row finds it there the next time. */
  private static final int TRIES = 3;

  /** Sets how long a statement waits for a lock; returns what puts it back. */
  abstract Undo limitWaits(Connection connection, Duration bound) throws SQLException;

  /** Whether the database reports nothing for a row that held the values already. */
  abstract boolean isSilentAboutUnchangedRows();

  @Override
  public List<RowResult> run(
      Connection connection, List<RowOperation> operations, Duration bound, boolean own)
      throws SQLException {
    Undo limits = limitWaits(connection, bound);
    List<RowResult> results = new ArrayList<>();
    try {
      for (RowOperation operation : operations) {
        results.add(run(connection, operation));
      }
    } catch (SQLException | RuntimeException e) {
      try {
        limits.run();
      } catch (SQLException later) {
        e.addSuppressed(later);
      }
      throw e;
    }
    limits.run();
    return results;
  }

  private RowResult run(Connection connection, RowOperation operation) throws SQLException {
    if (operation.kind() != RowOperation.Kind.CLAIM) {
      return write(connection, operation);
    }
    Read row = read(connection, operation, "*");
    if (row == null || !operation.passes(row.state())) {
      return RowVerdict.of(operation, false, row == null ? null : row.state(), false);
    }
    return write(connection, operation).with(row.values());
  }

  private RowResult write(Connection connection, RowOperation operation) throws SQLException {
    for (int attempt = 1; ; attempt++) {
      boolean changed = update(connection, RowText.write(operation));
      RowState found = lock(connection, operation);
      if (found == null && operation.kind() == RowOperation.Kind.UPSERT) {
        try {
          changed = update(connection, RowText.insert(operation, ""));
        } catch (SQLException e) {
          if (attempt < TRIES && isDuplicate(e)) {
            continue;
          }
          throw e;
        }
        found = lock(connection, operation);
      }
      boolean cameInBetween = !changed && found != null && operation.passes(found);
      if (!cameInBetween || attempt > 1) {
        return RowVerdict.of(operation, changed, found, isSilentAboutUnchangedRows());
      }
      // Now that the row is locked, the next answer is final.
    }
  }

  private static boolean isDuplicate(SQLException e) {
    return e.getSQLState() != null && e.getSQLState().startsWith("23");
  }

  private static boolean update(Connection connection, BoundSql text) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(text.sql())) {
      text.bindTo(statement);
      return statement.executeUpdate() > 0;
    }
  }

  private record Read(RowState state, Map<String, @Nullable Object> values) {}

  private static @Nullable RowState lock(Connection connection, RowOperation operation)
      throws SQLException {
    Read read = read(connection, operation, RowText.stateColumns(operation.shape()));
    return read == null ? null : read.state();
  }

  private static @Nullable Read read(Connection connection, RowOperation operation, String columns)
      throws SQLException {
    BoundSql text = RowText.lock(operation, columns, " FOR UPDATE");
    try (PreparedStatement statement = connection.prepareStatement(text.sql())) {
      text.bindTo(statement);
      try (ResultSet results = statement.executeQuery()) {
        if (!results.next()) {
          return null;
        }
        Read read = new Read(RowState.of(operation.shape(), results), RowReader.values(results));
        RowReader.requireOnly(operation, results);
        return read;
      }
    }
  }

  /** There is no aborted state here, so a connection that must not commit is cut. */
  @Override
  public void poison(Connection connection) throws SQLException {
    connection.rollback();
    connection.abort(Runnable::run);
    connection.close();
  }

  static void execute(Connection connection, String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.execute();
    }
  }
}
