package dev.fencing.spring;

import dev.fencing.fixtures.PostgresServer;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

/** An application on Boot, on either line. */
final class Boot {

  private Boot() {}

  /** With a pool to PostgreSQL, transactions and ZooKeeper. */
  static ApplicationContextRunner application() {
    return withoutZooKeeper()
        .withPropertyValues("fencing.curator.connect-string=" + Servers.zooKeeper());
  }

  static ApplicationContextRunner withoutZooKeeper() {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                either("DataSourceAutoConfiguration"),
                either("DataSourceTransactionManagerAutoConfiguration"),
                either("JdbcTemplateAutoConfiguration"),
                transactions(),
                FencingAutoConfiguration.class))
        .withPropertyValues(
            "spring.datasource.url=" + PostgresServer.shared().url(),
            "spring.datasource.username=" + PostgresServer.shared().user(),
            "spring.datasource.hikari.maximum-pool-size=4",
            "fencing.jdbc.schema=create");
  }

  private static Class<?> transactions() {
    return oneOf(
        "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration",
        "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration");
  }

  private static Class<?> either(String name) {
    return oneOf(
        "org.springframework.boot.autoconfigure.jdbc." + name,
        "org.springframework.boot.jdbc.autoconfigure." + name);
  }

  static Class<?> oneOf(String boot3, String boot4) {
    ClassLoader loader = Boot.class.getClassLoader();
    return ClassUtils.resolveClassName(ClassUtils.isPresent(boot4, loader) ? boot4 : boot3, loader);
  }
}
