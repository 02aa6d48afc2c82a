package dev.fencing.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.fixtures.PostgresServer;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Applications that do not have what is optional, each with classes of its own. */
class MissingLibrariesTest {

  private static final String OPTIONAL =
      "spring-(orm|web|webmvc|webflux|retry)|spring-boot-(actuator|health|micrometer|flyway).*"
          + "|micrometer-core|jakarta\\.persistence-api|hibernate-core|jakarta\\.servlet-api"
          + "|reactor-core|flyway-.*|jackson-.*|aspectjweaver";

  /** What is run with those classes, by name. */
  public static final class Applications {

    private Applications() {}

    static class Ledger {
      final JdbcTemplate jdbc;

      Ledger(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
      }

      @Fenced("account/#{#id}")
      @Transactional
      public void set(int id, long balance) {
        jdbc.update("UPDATE account SET balance = ? WHERE id = ?", balance, id);
      }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithBoot {}

    public static void boot(String url, String user, String zooKeeper) {
      try (ConfigurableApplicationContext context =
          new SpringApplication(WithBoot.class, Ledger.class)
              .run(
                  "--spring.main.banner-mode=off",
                  "--spring.datasource.url=" + url,
                  "--spring.datasource.username=" + user,
                  "--fencing.curator.connect-string=" + zooKeeper,
                  "--fencing.jdbc.schema=create")) {
        context.getBean(Ledger.class).set(1, 5);
      }
    }

    /** These classes would start servers of their own. */
    @Configuration(proxyBeanMethods = false)
    static class OtherServers {
      @Bean(destroyMethod = "close")
      HikariDataSource pool(@Value("${url}") String url, @Value("${user}") String user) {
        HikariDataSource pool = new HikariDataSource();
        pool.setDriverClassName(
            "org.postgresql.Driver"); // DriverManager knows those of its loader.
        pool.setJdbcUrl(url);
        pool.setUsername(user);
        return pool;
      }

      @Bean(initMethod = "start", destroyMethod = "close")
      CuratorFramework client(@Value("${zooKeeper}") String zooKeeper) {
        return CuratorFrameworkFactory.newClient(zooKeeper, new RetryOneTime(100));
      }
    }

    public static void plain(String url, String user, String zooKeeper) {
      try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
        context
            .getEnvironment()
            .getPropertySources()
            .addFirst(
                new MapPropertySource(
                    "servers", Map.of("url", url, "user", user, "zooKeeper", zooKeeper)));
        context.setAllowBeanDefinitionOverriding(true);
        context.register(PlainBeans.class, OtherServers.class, Ledger.class);
        context.refresh();
        context.getBean(Ledger.class).set(1, 6);
      }
    }
  }

  @BeforeAll
  static void createTables() {
    Servers.createTables();
    Servers.fillTables();
  }

  @AfterAll
  static void dropTables() {
    Servers.dropTables();
  }

  @Test
  void onBootWithoutWebMetersHealthJpaAndRetry() throws Exception {
    run("boot", OPTIONAL);
    assertThat(Servers.balance(1)).isEqualTo(5);
  }

  @Test
  void withoutBootAsWell() throws Exception {
    run("plain", OPTIONAL + "|spring-boot.*");
    assertThat(Servers.balance(1)).isEqualTo(6);
  }

  private static void run(String application, String missing) throws Exception {
    Pattern without = Pattern.compile("(?:" + missing + ")-\\d.*\\.jar");
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    URL[] rest =
        Arrays.stream(classPath.split(File.pathSeparator))
            .map(File::new)
            .filter(file -> !without.matcher(file.getName()).matches())
            .map(MissingLibrariesTest::url)
            .toArray(URL[]::new);
    String zooKeeper = Servers.zooKeeper(); // Started by its own classes.
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader loader = new URLClassLoader(rest, ClassLoader.getPlatformClassLoader())) {
      thread.setContextClassLoader(loader);
      loader
          .loadClass(Applications.class.getName())
          .getMethod(application, String.class, String.class, String.class)
          .invoke(null, PostgresServer.shared().url(), PostgresServer.shared().user(), zooKeeper);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static URL url(File file) {
    try {
      return file.toURI().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
