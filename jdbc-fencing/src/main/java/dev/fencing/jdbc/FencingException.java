package dev.fencing.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * The base of everything that this module throws on its own account.
 *
 * <p>Thrown as itself, it says that a step of the library failed and nothing of the fenced
 * transaction is durable: no connection could be had, a statement of the library failed, the commit
 * was refused, nested work failed or a check was refused and the outer work went on. The cause is
 * that failure, a {@link java.sql.SQLException} as a rule. Of a raise or a renewal whose own COMMIT
 * got no answer, the message says so, and what to do.
 *
 * <p>What the work itself throws passes through unchanged and is never wrapped in this.
 */
public class FencingException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  FencingException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
