package dev.fencing.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * The view of a connection that the work of a fenced transaction gets: it cannot end the
 * transaction, and it is of no use once the transaction has ended.
 *
 * <p>Whatever comes from it and belongs to {@code java.sql} is a view as well, so that none of it
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

  /** The interfaces of java.sql that a class of the driver implements; empty for plain values. */
  private static final ClassValue<Class<?>[]> SQL_INTERFACES =
      new ClassValue<>() {
        @Override
        protected Class<?>[] computeValue(Class<?> type) {
          Set<Class<?>> found = new LinkedHashSet<>();
          collect(type, found);
          return found.toArray(Class<?>[]::new);
        }
      };

  private final String resource;
  private final Connection view;
  private volatile @Nullable SQLException firstFailure;
  private volatile @Nullable FencingException refusal;

  /** Read by every call, written by the end: no call is under way when the transaction ends. */
  private final ReadWriteLock calls = new ReentrantReadWriteLock();

  private boolean ended;
  private volatile boolean suspect;

  GuardedConnection(String resource, Connection raw) {
    this.resource = resource;
    this.view = (Connection) view(raw, null);
  }

  Connection view() {
    return view;
  }

  /** The first exception that a statement of the work threw, swallowed by it or not. */
  @Nullable SQLException firstFailure() {
    return firstFailure;
  }

  /** The guard behind a connection that is a view, null for any other connection. */
  static @Nullable GuardedConnection of(Connection connection) {
    return handlerOf(connection) instanceof Handler handler ? handler.guard() : null;
  }

  /** Remembers the refusal of a check that the work made itself, swallowed by it or not. */
  void refuseCommit(FencingException refused) {
    refusal = refused;
  }

  @Nullable FencingException refusal() {
    return refusal;
  }

  /** Whether the server may have given the transaction up without the work's knowledge. */
  boolean isSuspect() {
    return suspect;
  }

  /** Makes every view useless, once the calls that other threads have under way have returned. */
  void end() {
    calls.writeLock().lock();
    try {
      ended = true;
    } finally {
      calls.writeLock().unlock();
    }
  }

  private Object view(Object target, @Nullable Object parent) {
    return Proxy.newProxyInstance(
        GuardedConnection.class.getClassLoader(),
        SQL_INTERFACES.get(target.getClass()),
        new Handler(target, parent));
  }

  private final class Handler implements InvocationHandler {
    private final Object target;
    private final @Nullable Object parent;

    Handler(Object target, @Nullable Object parent) {
      this.target = target;
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
          // Drivers read an array's text.
          default -> target instanceof Array ? target.toString() : "fenced view of " + target;
        };
      }
      calls.readLock().lock();
      try {
        if (ended) {
          return afterTheEnd(name);
        }
        if (target instanceof Connection) {
          refuseToEnd(name, arguments);
        }
        return switch (name) {
          case "getConnection" -> view;
          case "getStatement" -> parent instanceof Statement ? parent : null;
          case "isWrapperFor" -> isOf(proxy, arguments);
          case "unwrap" -> {
            if (isOf(proxy, arguments)) {
              yield proxy;
            }
            throw refused(
                "unwrap() is refused inside a fenced transaction, because the raw object could end"
                    + " it. For what needs the driver's own interface, open the transaction yourself"
                    + " and call FencedResource.check(connection) first");
          }
          default -> guarded(proxy, method, arguments);
        };
      } finally {
        calls.readLock().unlock();
      }
    }

    private boolean isOf(Object proxy, @Nullable Object @Nullable [] arguments) {
      return arguments != null && arguments[0] instanceof Class<?> type && type.isInstance(proxy);
    }

    private @Nullable Object guarded(
        Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
      Object result;
      try {
        result = method.invoke(target, raw(arguments));
      } catch (InvocationTargetException e) {
        if (e.getCause() instanceof SQLException failure && firstFailure == null) {
          firstFailure = failure;
          suspect = true;
        }
        throw e.getCause();
      }
      // The streams of a large object fail with an IOException, past this guard.
      if (result instanceof Blob || result instanceof Clob) {
        suspect = true;
      }
      return result != null && SQL_INTERFACES.get(result.getClass()).length > 0
          ? view(result, proxy)
          : result;
    }

    private GuardedConnection guard() {
      return GuardedConnection.this;
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

  /** A driver does not know views; a view that is passed to it goes as what it views. */
  private static @Nullable Object @Nullable [] raw(@Nullable Object @Nullable [] arguments) {
    if (arguments == null) {
      return null;
    }
    @Nullable Object[] raw = arguments.clone();
    for (int i = 0; i < raw.length; i++) {
      if (handlerOf(raw[i]) instanceof Handler handler) {
        raw[i] = handler.target;
      }
    }
    return raw;
  }

  private static @Nullable InvocationHandler handlerOf(@Nullable Object object) {
    return object != null && Proxy.isProxyClass(object.getClass())
        ? Proxy.getInvocationHandler(object)
        : null;
  }

  private static void collect(@Nullable Class<?> type, Set<Class<?>> found) {
    if (type == null) {
      return;
    }
    for (Class<?> implemented : type.getInterfaces()) {
      if (implemented.getPackageName().equals("java.sql")) {
        found.add(implemented);
      }
      collect(implemented, found);
    }
    collect(type.getSuperclass(), found);
  }

  private static SQLException refused(String message) {
    return new SQLException(message, REFUSED);
  }
}
