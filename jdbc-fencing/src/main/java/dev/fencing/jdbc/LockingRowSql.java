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

  /** What a statement may wait for a lock, in the unit of the database; never its "for ever". */
  abstract long limit(Duration left);

  /** Sets how long a statement waits for a lock; returns what puts it back. */
  abstract Undo limitWaits(Connection connection, long limit) throws SQLException;

  /** Sets it again, to be put back by the same. */
  abstract void changeLimit(Connection connection, long limit) throws SQLException;

  /** Whether the database reports nothing for a row that held the values already. */
  abstract boolean isSilentAboutUnchangedRows();

  @Override
  public List<RowResult> run(
      Connection connection, List<RowOperation> operations, Duration bound, boolean own)
      throws SQLException {
    Call call = new Call(connection, bound);
    List<RowResult> results = new ArrayList<>();
    try {
      for (RowOperation operation : operations) {
        results.add(run(call, operation));
      }
    } catch (SQLException | RuntimeException e) {
      try {
        call.limits.run();
      } catch (SQLException later) {
        e.addSuppressed(later);
      }
      throw e;
    }
    call.limits.run();
    return results;
  }

  /** The statements of one call, of which each may wait for what those before have left. */
  private final class Call {
    private final Connection connection;
    private final Deadline deadline;
    private long limit;
    final Undo limits;

    Call(Connection connection, Duration bound) throws SQLException {
      this.connection = connection;
      this.deadline = new Deadline(bound);
      this.limit = limit(bound);
      this.limits = limitWaits(connection, limit);
    }

    PreparedStatement prepare(String sql) throws SQLException {
      long next = limit(deadline.leftOrThrow());
      if (next != limit) {
        changeLimit(connection, next);
        limit = next;
      }
      return connection.prepareStatement(sql);
    }
  }

  private RowResult run(Call call, RowOperation operation) throws SQLException {
    if (operation.kind() != RowOperation.Kind.CLAIM) {
      return write(call, operation);
    }
    Read row = read(call, operation, "*");
    if (row == null || !operation.passes(row.state())) {
      return RowVerdict.of(operation, false, row == null ? null : row.state(), false);
    }
    return write(call, operation).with(row.values());
  }

  private RowResult write(Call call, RowOperation operation) throws SQLException {
    for (int attempt = 1; ; attempt++) {
      boolean changed = update(call, RowText.write(operation));
      RowState found = lock(call, operation);
      if (found == null && operation.kind() == RowOperation.Kind.UPSERT) {
        try {
          changed = update(call, RowText.insert(operation, ""));
        } catch (SQLException e) {
          if (attempt < TRIES && isDuplicate(e)) {
            continue;
          }
          throw e;
        }
        found = lock(call, operation);
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

  private static boolean update(Call call, BoundSql text) throws SQLException {
    try (PreparedStatement statement = call.prepare(text.sql())) {
      text.bindTo(statement);
      return statement.executeUpdate() > 0;
    }
  }

  private record Read(RowState state, Map<String, @Nullable Object> values) {}

  private static @Nullable RowState lock(Call call, RowOperation operation) throws SQLException {
    Read read = read(call, operation, RowText.stateColumns(operation.shape()));
    return read == null ? null : read.state();
  }

  private static @Nullable Read read(Call call, RowOperation operation, String columns)
      throws SQLException {
    BoundSql text = RowText.lock(operation, columns, " FOR UPDATE");
    try (PreparedStatement statement = call.prepare(text.sql())) {
      text.bindTo(statement);
      try (ResultSet results = statement.executeQuery()) {
        if (!results.next()) {
          return null;
        }
        Read read =
            new Read(RowReader.state(operation, results), RowReader.values(operation, results));
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
