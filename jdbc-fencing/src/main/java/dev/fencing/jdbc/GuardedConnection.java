package dev.fencing.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The view of a connection that the work of a fenced transaction gets: it cannot end the
 * transaction, and it is of no use once the transaction has ended.
 *
 * <p>Statements, result sets and metadata that come from it are views as well, so that none of them
 * leads back to the raw connection. Every {@link SQLException} that passes is remembered: after one
 * the server may have given the transaction up, and PostgreSQL's driver then answers a commit
 * normally although everything was rolled back.
 */
final class GuardedConnection {

  /** Invalid transaction termination, in the SQL standard. */
  private static final String REFUSED = "2D000";

  /** Connection does not exist, in the SQL standard. */
  private static final String ENDED = "08003";

  private static final Set<String> ENDING =
      Set.of("commit", "setAutoCommit", "close", "abort", "beginRequest", "endRequest");

  private final String resource;
  private final Connection view;
  private volatile @Nullable SQLException firstFailure;
  private volatile boolean ended;

  GuardedConnection(String resource, Connection raw) {
    this.resource = resource;
    this.view = (Connection) view(raw, Connection.class, null);
  }

  Connection view() {
    return view;
  }

  /** The first exception that a statement of the work threw, swallowed by it or not. */
  @Nullable SQLException firstFailure() {
    return firstFailure;
  }

  /** Makes every view useless. */
  void end() {
    ended = true;
  }

  private Object view(Object target, Class<?> type, @Nullable Object parent) {
    return Proxy.newProxyInstance(
        GuardedConnection.class.getClassLoader(),
        new Class<?>[] {type},
        new Handler(target, type, parent));
  }

  private final class Handler implements InvocationHandler {
    private final Object target;
    private final Class<?> type;
    private final @Nullable Object parent;

    Handler(Object target, Class<?> type, @Nullable Object parent) {
      this.target = target;
      this.type = type;
      this.parent = parent;
    }

    @Override
    public @Nullable Object invoke(
        Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
      String name = method.getName();
      if (method.getDeclaringClass() == Object.class) {
        return switch (name) {
          case "equals" -> arguments != null && proxy == arguments[0];
          case "hashCode" -> System.identityHashCode(proxy);
          default -> "fenced view of " + target;
        };
      }
      if (type == Connection.class) {
        refuseToEnd(name, arguments);
      }
      if (ended) {
        return afterTheEnd(name);
      }
      return switch (name) {
        case "getConnection" -> view;
        case "getStatement" -> parent instanceof Statement ? parent : null;
        case "isWrapperFor" -> isThis(arguments);
        case "unwrap" -> {
          if (isThis(arguments)) {
            yield proxy;
          }
          throw refused(
              "unwrap() is refused inside a fenced transaction, because the raw object could end it."
                  + " For what needs the driver's own interface, open the transaction yourself and"
                  + " call FencedResource.check(connection) first");
        }
        default -> guarded(proxy, method, arguments);
      };
    }

    private boolean isThis(@Nullable Object @Nullable [] arguments) {
      return arguments != null && arguments[0] == type;
    }

    private @Nullable Object guarded(
        Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
      Object result;
      try {
        result = method.invoke(target, arguments);
      } catch (InvocationTargetException e) {
        if (e.getCause() instanceof SQLException failure && firstFailure == null) {
          firstFailure = failure;
        }
        throw e.getCause();
      }
      Class<?> returned = method.getReturnType();
      boolean leadsBack =
          Statement.class.isAssignableFrom(returned)
              || returned == ResultSet.class
              || returned == DatabaseMetaData.class;
      return result != null && leadsBack ? view(result, returned, proxy) : result;
    }

    private void refuseToEnd(String name, @Nullable Object @Nullable [] arguments)
        throws SQLException {
      boolean wholeRollback =
          name.equals("rollback") && (arguments == null || arguments.length == 0);
      if (ENDING.contains(name) || wholeRollback) {
        throw refused(
            name
                + "() is refused inside the fenced transaction of resource \""
                + resource
                + "\": it commits when the work returns and is rolled back when it throws");
      }
    }

    private @Nullable Object afterTheEnd(String name) throws SQLException {
      return switch (name) {
        case "isClosed" -> true;
        case "isValid" -> false;
        case "close" -> null;
        default ->
            throw new SQLException(
                name
                    + "() came too late: the fenced transaction of resource \""
                    + resource
                    + "\" has ended, and its connection with it",
                ENDED);
      };
    }
  }

  private static SQLException refused(String message) {
    return new SQLException(message, REFUSED);
  }
}
