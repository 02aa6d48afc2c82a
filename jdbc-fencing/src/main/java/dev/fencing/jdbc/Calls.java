package dev.fencing.jdbc;

import java.lang.reflect.Method;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the calls on a connection, and on what comes from it, mean for its transaction. */
final class Calls {

  /** Calls of a connection that send nothing, or nothing that a transaction begins with. */
  private static final Set<String> HARMLESS =
      Set.of(
          "createStatement",
          "prepareStatement",
          "prepareCall",
          "nativeSQL",
          "isClosed",
          "isValid",
          "getWarnings",
          "clearWarnings",
          "getMetaData",
          "isReadOnly",
          "getTransactionIsolation",
          "getHoldability",
          "setHoldability",
          "getNetworkTimeout",
          "setNetworkTimeout",
          "getClientInfo",
          "getTypeMap",
          "setTypeMap",
          "isWrapperFor",
          "unwrap",
          "beginRequest",
          "endRequest",
          "rollback", // to a savepoint, which was set behind the check
          "releaseSavepoint");

  /** Calls of a connection that may ask the server, and change nothing. */
  private static final Set<String> QUESTIONS =
      Set.of(
          "getCatalog",
          "getSchema",
          "createArrayOf",
          "createStruct",
          "createSQLXML",
          "createBlob",
          "createClob",
          "createNClob");

  /** Calls that another thread makes while a statement is running. */
  private static final Set<String> FROM_OUTSIDE = Set.of("cancel", "abort", "isClosed");

  private Calls() {}

  static boolean isHarmless(String name) {
    return HARMLESS.contains(name);
  }

  static boolean isQuestion(String name) {
    return QUESTIONS.contains(name);
  }

  static boolean comesFromOutside(Method method) {
    return FROM_OUTSIDE.contains(method.getName());
  }

  /** Whether a large object is written. */
  static boolean writes(Object target, Method method) {
    return isLarge(target)
        && (method.getName().startsWith("set") || method.getName().equals("truncate"));
  }

  static boolean isLarge(@Nullable Object object) {
    return object instanceof Blob || object instanceof Clob;
  }

  /** Questions about the schema are statements like others, some of those for a number too. */
  static boolean asksTheServer(Object target, Method method) {
    String name = method.getName();
    return target instanceof DatabaseMetaData
        && (method.getReturnType() == ResultSet.class
            || name.startsWith("getMax")
            || name.equals("getSQLKeywords"));
  }
}
