package dev.fencing.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * The base of everything that this module throws on its own account.
 *
 * <p>Thrown as itself, it says that the database failed in a way after which it is certain that
 * nothing of the fenced transaction is durable: no connection could be had, a statement of the
 * library failed, or the commit was refused. The cause is then the {@link java.sql.SQLException}.
 * What the work itself throws passes through unchanged and is never wrapped in this.
 */
public class FencingException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  FencingException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
