package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Whether the server keeps the transactions of one connection read-only, which need no check. */
final class ReadOnlyTransactions {

  private final JdbcFence fence;
  private final Connection raw;
  private final AtomicBoolean areKept;
  private @Nullable Boolean wanted; // Null until it is said or asked.
  private boolean distrusted;

  /**
   * @param areKept whether the server is known to keep the word of {@link Connection#setReadOnly};
   *     shared by all connections of a DataSource
   */
  ReadOnlyTransactions(JdbcFence fence, Connection raw, AtomicBoolean areKept) {
    this.fence = fence;
    this.raw = raw;
    this.areKept = areKept;
  }

  /** Notes what the application has said. */
  void want(boolean readOnly) {
    wanted = readOnly;
  }

  /** A text may have made them writing ones: from now on each is taken for one. */
  void distrust() {
    distrusted = true;
  }

  /** Whether the transaction that the next statement begins, or has begun, writes nothing. */
  boolean isNext() throws SQLException {
    if (distrusted) {
      return false;
    }
    Boolean known = wanted;
    if (known == null) {
      known = raw.isReadOnly();
      wanted = known;
    }
    if (known && !areKept.get() && fence.check().isReadOnly(raw)) {
      areKept.set(true);
    }
    return known && areKept.get();
  }

  /** Whether the check could not lock because the role or the server only reads, as a standby. */
  boolean explains(FencingException failure) {
    try {
      return failure.getCause() instanceof SQLException cause
          && "25006".equals(cause.getSQLState())
          && fence.check().isReadOnly(raw);
    } catch (SQLException e) {
      failure.addSuppressed(e);
      return false;
    }
  }
}
