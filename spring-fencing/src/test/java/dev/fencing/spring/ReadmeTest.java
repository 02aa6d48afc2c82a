package dev.fencing.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.fixtures.PostgresServer;
import dev.fencing.jdbc.FencedDataSource;
import dev.fencing.jdbc.FencedDataSource.Unbound;
import dev.fencing.jdbc.JdbcFence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** What the README shows of Spring is the code of these classes, and it runs. */
class ReadmeTest {

  private static final String ADD = "UPDATE account SET balance = balance + ? WHERE id = ?";

  @Configuration(proxyBeanMethods = false)
  @EnableTransactionManagement
  static class WithoutBoot {

    @Bean
    HikariDataSource pool() {
      return Servers.pool(4);
    }

    @Bean
    JdbcFence fence(HikariDataSource pool) {
      return JdbcFence.of(pool);
    }

    @Bean
    @Primary
    DataSource dataSource(JdbcFence fence) {
      return new FencedDataSource(fence, Unbound.PASS);
    }

    @Bean
    FencedLocks locks(CuratorFramework client) {
      return new FencedLocks(client, "/fencing");
    }

    @Bean
    static FencedAnnotationPostProcessor fenced() {
      return new FencedAnnotationPostProcessor();
    }

    @Bean(initMethod = "start", destroyMethod = "close")
    CuratorFramework client() {
      return Servers.client();
    }

    @Bean
    PlatformTransactionManager transactionManager(DataSource dataSource) {
      return new JdbcTransactionManager(dataSource);
    }

    @Bean
    JdbcTemplate jdbc(DataSource dataSource) {
      return new JdbcTemplate(dataSource);
    }

    @Bean
    FencedLeader reports(FencedLocks locks, JdbcFence fence) {
      return new FencedLeader(locks, fence, "reports");
    }

    @Bean
    FencedTemplate template(
        FencedLocks locks, JdbcFence fence, PlatformTransactionManager transactionManager) {
      return new FencedTemplate(locks, fence, transactionManager);
    }

    @Bean
    Ledger ledger(JdbcTemplate jdbc, FencedTemplate template) {
      return new Ledger(jdbc, template);
    }
  }

  static class Ledger {

    private final JdbcTemplate jdbc;
    private final FencedTemplate template;

    Ledger(JdbcTemplate jdbc, FencedTemplate template) {
      this.jdbc = jdbc;
      this.template = template;
    }

    @Fenced("ledger")
    @Transactional
    public void postInterest(long account) {
      jdbc.update(ADD, 7, account);
    }

    @Fenced({"account/#{#from}", "account/#{#to}"})
    public void transfer(long from, long to, long amount) {
      jdbc.update(ADD, -amount, from);
      jdbc.update(ADD, amount, to);
    }

    @Scheduled(cron = "0 0 3 * * *")
    @Fenced(value = "reports", leader = true)
    public void writeReports() {
      jdbc.update("UPDATE account SET note = 'reported'");
    }

    void byTemplate(long id) {
      String sql = "UPDATE account SET note = 'token ' || ? WHERE id = 1";
      template.execute("ledger", hold -> jdbc.update(sql, hold.token()));
      template.run(FencedLocks.resource("account", id), hold -> severalTransactions());
    }

    private int severalTransactions() {
      return jdbc.update(ADD, 1, 1) + jdbc.update(ADD, 1, 1);
    }
  }

  @BeforeEach
  void createTables() {
    Servers.createTables();
    Servers.fillTables();
    JdbcFence.of(PostgresServer.shared().dataSource()).createSchema();
  }

  @AfterEach
  void dropTables() {
    Servers.dropTables();
  }

  @Test
  void theReadmesCodeRuns() {
    try (AnnotationConfigApplicationContext context =
        new AnnotationConfigApplicationContext(WithoutBoot.class)) {
      Ledger ledger = context.getBean(Ledger.class);
      ledger.postInterest(1);
      ledger.transfer(1, 2, 50);
      ledger.byTemplate(2);
      assertThat(Servers.balance(1)).isEqualTo(100 + 7 - 50 + 2);
      assertThat(Servers.balance(2)).isEqualTo(250);
      assertThat(Servers.number("SELECT count(*) FROM account WHERE note LIKE 'token %'"))
          .isEqualTo(1);
      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                ledger.writeReports(); // Left out until this process leads.
                return Servers.number("SELECT count(*) FROM account WHERE note = 'reported'") == 2;
              });
    }
  }

  @Test
  void theReadmeShowsThisCode() throws IOException {
    String code =
        dense(
            Files.readString(
                root().resolve("spring-fencing/src/test/java/dev/fencing/spring/ReadmeTest.java")));

    List<String> shown = blocks().flatMap(ReadmeTest::parts).toList();

    assertThat(blocks()).hasSize(5);
    assertThat(shown)
        .allSatisfy(
            part -> assertThat(Pattern.compile(pattern(part)).matcher(code).find()).isTrue());
  }

  private static Stream<String> blocks() throws IOException {
    Matcher section =
        Pattern.compile("\n## Spring\n(.*?)\n## ", Pattern.DOTALL)
            .matcher(Files.readString(root().resolve("README.md")));
    assertThat(section.find()).isTrue();
    return Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
        .matcher(section.group(1))
        .results()
        .map((MatchResult block) -> block.group(1));
  }

  /** These tests run in more than one module. */
  private static Path root() {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("spring-fencing"))) {
      root = Objects.requireNonNull(root.getParent());
    }
    return root;
  }

  /** Beans and methods of one block need not stand side by side. */
  private static Stream<String> parts(String block) {
    return Stream.of(block.split("\n\n"));
  }

  /** An ellipsis stands for any body. */
  private static String pattern(String part) {
    return Stream.of(dense(part).split("…"))
        .map(Pattern::quote)
        .collect(Collectors.joining("[^}]*"));
  }

  /** Without white space, which the formatter and the page lay out each in its own way. */
  private static String dense(String code) {
    return code.replaceAll("\\s+", "");
  }
}
