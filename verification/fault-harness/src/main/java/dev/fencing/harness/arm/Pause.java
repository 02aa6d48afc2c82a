package dev.fencing.harness.arm;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Called where a transaction has done everything but its COMMIT. */
@FunctionalInterface
public interface Pause {

  /**
   * Returns when the orchestrator lets it go on.
   *
   * @param connection in the transaction; null where the transaction is not on the server yet
   */
  void beforeCommit(@Nullable Connection connection) throws SQLException, IOException;
}
