package dev.fencing.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * The guard table is missing or cannot hold a fence, or the database is not one that is supported.
 *
 * <p>The message lists what is wrong and holds the DDL. Nothing was written.
 *
 * <p>Of a {@link FencedTable} it says that the table lacks a column or has one of the wrong type,
 * or that a trigger or a rule of it has swallowed a write.
 */
public final class FenceSchemaException extends FencingException {

  private static final long serialVersionUID = 1L;

  FenceSchemaException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
