package dev.fencing.examples.bank;

import dev.fencing.examples.bank.demo.Servers;
import dev.fencing.fixtures.Reaper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.web.client.RestClient;

/** Two applications of the bank in this JVM, on real servers; all of it ends with the JVM. */
final class Bank {

  static final int ACCOUNTS = 10;
  static final long OPENING = 10_000_000;

  /** What an HTTP request got. */
  record Reply(int status, HttpHeaders headers, Map<String, Object> json) {
    String text(String name) {
      return String.valueOf(json.get(name));
    }
  }

  private static final class Shared {
    private static final Bank INSTANCE = start();
  }

  private final Servers servers;
  private final List<ConfigurableApplicationContext> applications;
  private final List<String> urls;
  private final JdbcTemplate sql;

  private Bank(
      Servers servers, List<ConfigurableApplicationContext> applications, List<String> urls) {
    this.servers = servers;
    this.applications = applications;
    this.urls = urls;
    this.sql = new JdbcTemplate(new DriverManagerDataSource(servers.jdbcUrl()));
  }

  /** The one of this JVM, with its accounts as they were opened. */
  static Bank open() {
    Bank bank = Shared.INSTANCE;
    bank.sql.execute("TRUNCATE transfer");
    bank.sql.update("UPDATE account SET token = 0, cents = ?", OPENING);
    return bank;
  }

  private static Bank start() {
    try {
      Path directory =
          Path.of(System.getProperty("java.io.tmpdir")).resolve("bank-test-" + UUID.randomUUID());
      Reaper.start(directory); // Ends with this JVM.
      Files.createDirectory(directory);
      Servers servers = Servers.start(directory);
      servers.createTables(ACCOUNTS, OPENING);
      List<Integer> ports = Servers.freePorts(3);
      List<String> peers = ports.stream().map(port -> "http://127.0.0.1:" + port).toList();
      return new Bank(
          servers,
          List.of(
              application("bank-a", ports.get(0), peers, servers),
              application("bank-b", ports.get(1), peers, servers)),
          peers);
    } catch (Exception e) {
      throw new IllegalStateException("the bank did not start", e);
    }
  }

  private static ConfigurableApplicationContext application(
      String name, int port, List<String> peers, Servers servers) throws Exception {
    return SpringApplication.run(
        BankApplication.class,
        "--server.port=" + port,
        "--bank.peers=" + String.join(",", peers),
        "--spring.datasource.url=" + servers.jdbcUrl(),
        "--fencing.curator.connect-string=" + servers.zookeeper(),
        "--fencing.curator.session-timeout=10s",
        "--fencing.curator.connection-timeout=10s",
        "--fencing.jdbc.holder=" + name,
        "--fencing.wait-time=5s",
        "--spring.main.banner-mode=off",
        "--logging.level.root=warn");
  }

  /** A connection past the applications. */
  Connection connect() throws SQLException {
    return servers.connect();
  }

  /** The URL of the first or second application; nobody answers at that of the third. */
  String url(int application) {
    return urls.get(application);
  }

  <T> T bean(Class<T> type) {
    return bean(0, type);
  }

  <T> T bean(int application, Class<T> type) {
    return applications.get(application).getBean(type);
  }

  /** The database past the bank. */
  JdbcTemplate sql() {
    return sql;
  }

  long cents(long account) {
    return number("SELECT cents FROM account WHERE id = " + account);
  }

  long number(String query) {
    Long number = sql.queryForObject(query, Long.class);
    return number == null ? -1 : number;
  }

  /** The names under a path of ZooKeeper, nothing if there is no such path. */
  List<String> nodes(String path) throws Exception {
    CuratorFramework client = bean(CuratorFramework.class);
    return client.checkExists().forPath(path) == null
        ? List.of()
        : client.getChildren().forPath(path);
  }

  String zookeeper() throws Exception {
    return servers.zookeeper();
  }

  Reply get(int application, String path) {
    return send(RestClient.create(url(application)).get().uri(path));
  }

  /** Asks for a transfer. */
  Reply transfer(int application, UUID id, long from, long to, long cents, @Nullable String token) {
    RestClient.RequestBodySpec request =
        RestClient.create(url(application))
            .method(HttpMethod.PUT)
            .uri("/transfers/{id}", id)
            .body(Map.of("from", from, "to", to, "cents", cents));
    if (token != null) {
      request.header("Fencing-Token", token);
    }
    return send(request);
  }

  private static Reply send(RestClient.RequestHeadersSpec<?> request) {
    return request.exchangeForRequiredValue(
        (sent, answer) ->
            new Reply(answer.getStatusCode().value(), answer.getHeaders(), body(answer)));
  }

  private static Map<String, Object> body(ClientHttpResponse answer) throws IOException {
    String text = new String(answer.getBody().readAllBytes(), StandardCharsets.UTF_8);
    return JsonParserFactory.getJsonParser().parseMap(text);
  }
}
