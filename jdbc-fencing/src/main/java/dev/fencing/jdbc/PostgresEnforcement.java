package dev.fencing.jdbc;

/**
 * The DDL by which a PostgreSQL itself refuses writes that have passed no check; optional.
 *
 * <p>It is the file {@code postgresql-enforcement.sql} beside this class, usable as a migration:
 * functions that declare which resource guards which table. From then on a write to that table, by
 * whatever client, fails with SQLState {@code FEN02} in a transaction that has not passed the check
 * of that resource, and comes through from the driver as it is. Inside {@link
 * FencedResource#inTransaction} and after {@link FencedResource#check} nothing changes. A resource
 * that is only observed passes no check. The head of the file says how to declare a table, how a
 * person passes the check on purpose, and what is not covered. It is against mistakes, not malice.
 */
public final class PostgresEnforcement {

  private PostgresEnforcement() {}

  /**
   * Returns the DDL for a guard table, to be run by an owner of the schema once that table is
   * there; safe to run again. Asks no database.
   *
   * @param guardTable the name as given to the builder of the {@link JdbcFence}, by default {@code
   *     fence}; the functions have it in front of their names
   * @throws IllegalArgumentException if the builder would not take the name
   */
  public static String ddl(String guardTable) {
    // What names an object, as opposed to prose, has a quote or an underscore behind it.
    return FenceSchema.resource("postgresql-enforcement.sql")
        .replaceAll("\\bfence(?=['_])", Settings.requireTable(guardTable));
  }
}
