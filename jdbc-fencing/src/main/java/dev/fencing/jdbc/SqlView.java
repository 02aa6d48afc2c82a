package dev.fencing.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A view of an object of {@code java.sql}: whatever comes from it and belongs to {@code java.sql}
 * is a view as well, so that none of it leads back to the raw connection.
 */
final class SqlView implements InvocationHandler {

  /** What the calls on all the views of one connection have to pass. */
  interface Gate {

    /** The view of the connection, which every view gives in place of the raw one. */
    Object connection();

    /** Makes a call that a view was asked for; {@link SqlView#call} makes it on the raw object. */
    @Nullable Object pass(SqlView view, Method method, @Nullable Object @Nullable [] arguments)
        throws Throwable;

    /** Hears of every failure of the driver, before the caller does. */
    void failed(SQLException failure) throws SQLException;
  }

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

  private final Gate gate;
  private final Object target;
  private final @Nullable SqlView parent;
  private final Object proxy;

  private SqlView(Gate gate, Object target, @Nullable SqlView parent) {
    this.gate = gate;
    this.target = target;
    this.parent = parent;
    this.proxy =
        Proxy.newProxyInstance(
            SqlView.class.getClassLoader(), SQL_INTERFACES.get(target.getClass()), this);
  }

  /** Returns a view of {@code target}, which implements the same interfaces of java.sql. */
  static Object of(Gate gate, Object target) {
    return new SqlView(gate, target, null).proxy;
  }

  /** The view behind an object, null if it is none. */
  static @Nullable SqlView behind(@Nullable Object object) {
    return object != null
            && Proxy.isProxyClass(object.getClass())
            && Proxy.getInvocationHandler(object) instanceof SqlView view
        ? view
        : null;
  }

  Gate gate() {
    return gate;
  }

  /** What it is a view of. */
  Object target() {
    return target;
  }

  /** What it came from: the statement of a result set, the connection's view has none. */
  @Nullable SqlView parent() {
    return parent;
  }

  static @Nullable String firstText(@Nullable Object @Nullable [] arguments) {
    return arguments != null && arguments.length > 0 && arguments[0] instanceof String sql
        ? sql
        : null;
  }

  @Override
  public @Nullable Object invoke(
      Object self, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    String name = method.getName();
    if (method.getDeclaringClass() == Object.class) {
      return switch (name) {
        case "equals" -> arguments != null && self == arguments[0];
        case "hashCode" -> System.identityHashCode(self);
        // Drivers read an array's text.
        default -> target instanceof Array ? target.toString() : "fenced view of " + target;
      };
    }
    return gate.pass(this, method, arguments);
  }

  /** Makes the call on the raw object, and returns views for what must not be raw. */
  @Nullable Object call(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    return switch (method.getName()) {
      case "getConnection" -> gate.connection();
      case "getStatement" ->
          parent != null && parent.target instanceof Statement ? parent.proxy : null;
      case "isWrapperFor" -> isOf(arguments);
      case "unwrap" -> {
        if (isOf(arguments)) {
          yield proxy;
        }
        throw new SQLException(
            "unwrap() to what is not of java.sql is refused on a fenced connection, because the raw"
                + " object could go around the check. For what needs the driver's own interface,"
                + " take a connection of the pool itself, open the transaction yourself and call"
                + " FencedResource.check(connection) first",
            GuardedConnection.REFUSED);
      }
      default -> callRaw(method, arguments);
    };
  }

  private @Nullable Object callRaw(Method method, @Nullable Object @Nullable [] arguments)
      throws Throwable {
    Object result;
    try {
      result = method.invoke(target, raw(arguments));
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof SQLException failure) {
        gate.failed(failure);
      }
      throw e.getCause();
    }
    return result != null && SQL_INTERFACES.get(result.getClass()).length > 0
        ? new SqlView(gate, result, this).proxy
        : result;
  }

  private boolean isOf(@Nullable Object @Nullable [] arguments) {
    return arguments != null && arguments[0] instanceof Class<?> type && type.isInstance(proxy);
  }

  /** A driver does not know views; a view that is passed to it goes as what it views. */
  private static @Nullable Object @Nullable [] raw(@Nullable Object @Nullable [] arguments) {
    if (arguments == null) {
      return null;
    }
    @Nullable Object[] raw = arguments.clone();
    for (int i = 0; i < raw.length; i++) {
      SqlView view = behind(raw[i]);
      if (view != null) {
        raw[i] = view.target;
      }
    }
    return raw;
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
}
