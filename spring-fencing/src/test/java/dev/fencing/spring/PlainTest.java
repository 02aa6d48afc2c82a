package dev.fencing.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.fixtures.PostgresServer;
import dev.fencing.jdbc.JdbcFence;
import dev.fencing.jdbc.StaleTokenException;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericXmlApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Without Boot: beans in Java and XML, and the template. */
class PlainTest extends SpringTest {

  static class Ledger {
    final JdbcTemplate jdbc;

    Ledger(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Fenced("account/#{#id}")
    public long set(int id, long balance) {
      jdbc.update("UPDATE account SET balance = ? WHERE id = ?", balance, id);
      return FencedHold.current().token();
    }
  }

  private static final String XML =
      """
      <beans xmlns="http://www.springframework.org/schema/beans"
             xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
             xsi:schemaLocation="http://www.springframework.org/schema/beans
               https://www.springframework.org/schema/beans/spring-beans.xsd">
        <bean id="pool" class="com.zaxxer.hikari.HikariDataSource" destroy-method="close">
          <property name="jdbcUrl" value="${url}"/>
          <property name="username" value="${user}"/>
        </bean>
        <bean id="fence" class="dev.fencing.jdbc.JdbcFence" factory-method="of">
          <constructor-arg ref="pool"/>
        </bean>
        <bean id="dataSource" class="dev.fencing.jdbc.FencedDataSource">
          <constructor-arg ref="fence"/>
          <constructor-arg value="PASS"/>
        </bean>
        <bean id="transactionManager"
              class="org.springframework.jdbc.support.JdbcTransactionManager">
          <constructor-arg ref="dataSource"/>
        </bean>
        <bean id="client" class="org.apache.curator.framework.CuratorFrameworkFactory"
              factory-method="newClient" init-method="start" destroy-method="close">
          <constructor-arg value="${zookeeper}"/>
          <constructor-arg>
            <bean class="org.apache.curator.retry.RetryOneTime">
              <constructor-arg value="100"/>
            </bean>
          </constructor-arg>
        </bean>
        <bean id="locks" class="dev.fencing.spring.FencedLocks">
          <constructor-arg ref="client"/>
          <constructor-arg value="/fencing"/>
        </bean>
        <bean class="dev.fencing.spring.FencedAnnotationPostProcessor"/>
        <bean id="jdbc" class="org.springframework.jdbc.core.JdbcTemplate">
          <constructor-arg ref="dataSource"/>
        </bean>
        <bean id="ledger" class="dev.fencing.spring.PlainTest$Ledger">
          <constructor-arg ref="jdbc"/>
        </bean>
        <bean class="org.springframework.context.support.PropertySourcesPlaceholderConfigurer"/>
      </beans>
      """;

  @Test
  void definitionsInXml() {
    JdbcFence.of(PostgresServer.shared().dataSource()).createSchema();
    try (GenericXmlApplicationContext context = new GenericXmlApplicationContext()) {
      context
          .getEnvironment()
          .getPropertySources()
          .addFirst(
              new MapPropertySource(
                  "servers",
                  Map.of(
                      "url", PostgresServer.shared().url(),
                      "user", PostgresServer.shared().user(),
                      "zookeeper", Servers.zooKeeper())));
      context.load(new ByteArrayResource(XML.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
      context.refresh();

      Ledger ledger = context.getBean(Ledger.class);
      long token = ledger.set(2, 7);
      assertThat(ledger.set(2, 8)).isGreaterThan(token);
      assertThat(Servers.balance(2)).isEqualTo(8);
      assertThat(context.getBean(JdbcFence.class).current("account/2")).isPresent();
    }
  }

  @Test
  void theTemplateDoesWhatTheAnnotationDoes() {
    ConfigurableApplicationContext context = start(Ledger.class);
    FencedTemplate template = context.getBean(FencedTemplate.class);
    JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);

    long token =
        template.execute(
            "account/1",
            hold -> {
              jdbc.update("UPDATE account SET balance = 1 WHERE id = 1");
              return context.getBean(Ledger.class).set(1, 2) - hold.token(); // Joins.
            });
    assertThat(token).isZero();
    assertThat(Servers.balance(1)).isEqualTo(2);

    assertThatThrownBy(
            () ->
                template.execute(
                    "account/1",
                    hold -> {
                      jdbc.update("UPDATE account SET balance = 3 WHERE id = 1");
                      throw new IOException("checked");
                    }))
        .isInstanceOf(IOException.class);
    assertThat(Servers.balance(1)).isEqualTo(2);

    assertThatThrownBy(
            () ->
                template.run(
                    "account/1",
                    hold -> {
                      Servers.overtake(fence(context), "account/1");
                      return template.execute("account/1", again -> 1 + set(jdbc, 4));
                    }))
        .isInstanceOf(StaleTokenException.class);
    assertThat(Servers.balance(1)).isEqualTo(2);
    assertThatThrownBy(FencedHold::current).isInstanceOf(IllegalStateException.class);
  }

  private static int set(JdbcTemplate jdbc, long balance) {
    return jdbc.update("UPDATE account SET balance = ? WHERE id = 1", balance);
  }

  @Test
  void theTransactionHasTheSettingsThatItIsGiven() {
    ConfigurableApplicationContext context = start();
    DefaultTransactionDefinition serializable = new DefaultTransactionDefinition();
    serializable.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);
    serializable.setName("mine");
    String name =
        context
            .getBean(FencedTemplate.class)
            .withTransaction(serializable)
            .execute(
                "ledger",
                hold ->
                    TransactionSynchronizationManager.getCurrentTransactionName()
                        + context
                            .getBean(JdbcTemplate.class)
                            .queryForObject("SHOW transaction_isolation", String.class));
    assertThat(name).isEqualTo("mineserializable");
  }

  @Configuration(proxyBeanMethods = false)
  static class PoolOfOne {
    @Bean(destroyMethod = "close")
    HikariDataSource pool() {
      HikariDataSource pool = Servers.pool(1);
      pool.setConnectionTimeout(500);
      return pool;
    }

    @Bean
    JdbcFence fence(HikariDataSource pool) {
      JdbcFence.of(PostgresServer.shared().dataSource()).createSchema();
      return JdbcFence.of(pool);
    }
  }

  static class Outer {
    final JdbcTemplate jdbc;
    final Inner inner;

    Outer(JdbcTemplate jdbc, Inner inner) {
      this.jdbc = jdbc;
      this.inner = inner;
    }

    @Fenced("ledger")
    @Transactional
    public void both() {
      set(jdbc, 5);
      inner.apart();
    }
  }

  static class Inner {
    final JdbcTemplate jdbc;

    Inner(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void apart() {
      jdbc.update("UPDATE account SET balance = 6 WHERE id = 2");
    }
  }

  @Test
  void aPoolOfOneIsEnoughUnlessASecondTransactionIsOpenedWhichIsBounded() {
    ConfigurableApplicationContext context =
        start(PoolOfOne.class, Ledger.class, Outer.class, Inner.class);
    context.getBean(Ledger.class).set(1, 5);
    assertThat(Servers.balance(1)).isEqualTo(5);

    assertThatThrownBy(() -> context.getBean(Outer.class).both())
        .hasStackTraceContaining("Connection is not available");
    assertThat(Servers.balance(1)).isEqualTo(5);
    assertThat(Servers.balance(2)).isEqualTo(200);
    assertThat(contenders(context, "ledger")).isZero();
    context.getBean(Ledger.class).set(1, 6);
  }
}
