package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fencing.fixtures.MariaDbServer;
import dev.fencing.fixtures.PostgresServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * Databases that answer as a known one does and do not lock what a check reads: real servers that
 * never get to see what would lock it.
 */
class LookAlikeTest {

  @Nested
  class OfPostgres extends Contract {
    @Override
    DataSource dataSource() {
      return PostgresServer.shared().dataSource();
    }

    /** Both locks; several databases that speak its language ignore the advisory one. */
    @Override
    String withoutLock(String text) {
      return text.replace("FOR SHARE SKIP LOCKED", "")
          .replace("pg_try_advisory_xact_lock_shared(hashtextextended(?, 0))", "?::text <> ''");
    }
  }

  @Nested
  class OfMariaDb extends Contract {
    @BeforeAll
    static void needsTheServer() {
      assumeTrue(MariaDbServer.shared().isPresent(), "no MariaDB for this kind of machine");
    }

    @Override
    DataSource dataSource() {
      return MariaDbServer.shared().orElseThrow().dataSource();
    }

    @Override
    String withoutLock(String text) {
      return text.replace("LOCK IN SHARE MODE", "");
    }
  }

  @Nested
  class OfH2 extends Contract {
    @Override
    DataSource dataSource() {
      return H2ContractTest.inMemory();
    }

    @Override
    String withoutLock(String text) {
      return text.replaceFirst("FOR UPDATE WAIT .*", "");
    }
  }

  abstract static class Contract extends DatabaseTest {

    private final AtomicInteger removed = new AtomicInteger();

    abstract String withoutLock(String text);

    @Test
    void aDatabaseOnWhichACheckKeepsNoRaiseWaitingIsRefusedAtStart() throws SQLException {
      JdbcFence alike = JdbcFence.of(alike());

      assertRefused(alike::checkSchema);
      assertRefused(alike::createSchema);

      assertThat(removed.get()).isPositive();
      assertThat(sql.number("SELECT token FROM fence")).as("nothing was raised").isEqualTo(1);
      assertThat(sql.openTransactions()).isZero();
      fence.checkSchema();
    }

    private static void assertRefused(Runnable start) {
      assertThatThrownBy(start::run)
          .isExactlyInstanceOf(FenceSchemaException.class)
          .hasMessageContainingAll(
              "cannot hold a fence", "a raise did not wait", "does not keep row locks");
    }

    private DataSource alike() {
      return intercepted(
          DataSource.class,
          dataSource,
          result ->
              result instanceof Connection connection
                  ? intercepted(Connection.class, connection, UnaryOperator.identity())
                  : result);
    }

    /** Takes the lock out of every text, and hands {@code results} what is returned. */
    private <T> T intercepted(Class<T> type, T target, UnaryOperator<Object> results) {
      return type.cast(
          Proxy.newProxyInstance(
              type.getClassLoader(),
              new Class<?>[] {type},
              (proxy, method, arguments) -> {
                if (arguments != null && arguments[0] instanceof String text) {
                  arguments[0] = withoutLock(text);
                  removed.addAndGet(arguments[0].equals(text) ? 0 : 1);
                }
                try {
                  Object result = method.invoke(target, arguments);
                  return result == null ? null : results.apply(result);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              }));
    }
  }
}
