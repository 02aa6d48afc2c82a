package dev.fencing.examples.comparison.server;

import dev.fencing.fixtures.MariaDbServer;
import dev.fencing.fixtures.Signals;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;
import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

/** How each server is started, all on 127.0.0.1, with its data below the run's directory. */
final class ServerPrograms {

  private static final Duration POSTGRES_START = Duration.ofSeconds(60);

  private final Path directory;
  private @Nullable Path embeddedRedis;

  ServerPrograms(Path directory) {
    this.directory = directory;
  }

  /** Returns what the one who asked needs to know: addresses, processes. */
  String start(String... words) throws Exception {
    return switch (words[0]) {
      case "zookeeper" -> zookeeper(Duration.ofMillis(Long.parseLong(words[1])));
      case "postgres" -> postgres();
      case "mariadb" -> mariadb();
      case "redis" -> redis(Integer.parseInt(words[1]), words[2]);
      case "etcd" -> etcd(Integer.parseInt(words[1]), words[2]);
      default -> throw new ServerException("unknown command: " + String.join(" ", words));
    };
  }

  private String zookeeper(Duration tick) throws Exception {
    Properties config = new Properties();
    config.setProperty("clientPort", "0");
    config.setProperty("clientPortAddress", "127.0.0.1");
    config.setProperty("tickTime", Long.toString(tick.toMillis()));
    config.setProperty("maxClientCnxns", "0");
    config.setProperty("admin.enableServer", "false");
    ZooKeeperServerEmbedded server =
        ZooKeeperServerEmbedded.builder()
            .baseDir(Files.createTempDirectory(directory, "zookeeper"))
            .configuration(config)
            .exitHandler(ExitHandler.LOG_ONLY)
            .build();
    server.start();
    String address = server.getConnectionString();
    return address.substring(address.lastIndexOf(':') + 1);
  }

  private String postgres() throws IOException {
    File log = directory.resolve("postgres.log").toFile();
    EmbeddedPostgres.Builder builder =
        EmbeddedPostgres.builder()
            .setOverrideWorkingDirectory(directory.resolve("postgres-programs").toFile())
            .setDataDirectory(directory.resolve("postgres"))
            .setRegisterShutdownHook(false)
            .setPGStartupWait(POSTGRES_START)
            .setServerConfig("fsync", "on")
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("max_connections", "200")
            .setServerConfig("unix_socket_directories", "")
            .setErrorRedirector(ProcessBuilder.Redirect.appendTo(log))
            .setOutputRedirector(ProcessBuilder.Redirect.appendTo(log));
    try {
      int port = builder.start().getPort();
      return postmaster() + " " + port;
    } catch (IOException | IllegalStateException e) {
      throw new ServerException(
          "PostgreSQL did not start: %s; it said last: %s"
              .formatted(e.getMessage(), NativeServer.lastLines(log.toPath())),
          e);
    }
  }

  private long postmaster() throws IOException {
    return Long.parseLong(Files.readAllLines(postmasterFile()).get(0).strip());
  }

  private Path postmasterFile() {
    return directory.resolve("postgres").resolve("postmaster.pid");
  }

  /** SIGQUIT is its immediate shutdown, which frees the shared memory; SIGKILL does not. */
  void stopPostgres(Duration bound) {
    try {
      if (Files.exists(postmasterFile())) {
        long pid = postmaster();
        Signals.send("QUIT", pid);
        ProcessHandle.of(pid).ifPresent(process -> Guardian.await(process, bound));
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
      }
    } catch (IOException gone) {
      // It has ended on its own.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String mariadb() {
    MariaDbServer server =
        MariaDbServer.shared()
            .orElseThrow(
                () ->
                    new ServerException(
                        "there is a MariaDB for Linux on amd64 only; run without --database"));
    long pid =
        ProcessHandle.current()
            .children()
            .filter(child -> child.info().command().orElse("").endsWith("mariadbd"))
            .findFirst()
            .orElseThrow(() -> new ServerException("MariaDB has ended right after it was ready"))
            .pid();
    return "%d %d %s".formatted(pid, server.port(), server.user());
  }

  private String redis(int port, String given) throws IOException, InterruptedException {
    String program = given.isEmpty() ? embeddedRedis().toString() : given;
    NativeServer server =
        NativeServer.start(
            "redis",
            "Ready to accept connections",
            directory,
            port,
            free ->
                List.of(
                    program,
                    "--port",
                    Integer.toString(free),
                    "--bind",
                    "127.0.0.1",
                    "--save",
                    "",
                    "--appendonly",
                    "no",
                    "--repl-diskless-sync",
                    "yes",
                    "--repl-diskless-sync-delay",
                    "0",
                    "--dir",
                    directory.toString()));
    return server.process().pid() + " " + server.port();
  }

  private Path embeddedRedis() throws IOException {
    Path program = embeddedRedis;
    if (program == null) {
      Path place = Files.createDirectories(directory.resolve("redis"));
      program = ExecutableProvider.newJarResourceProvider(place.toFile()).get().toPath();
      embeddedRedis = program;
    }
    return program;
  }

  private String etcd(int port, String program) throws IOException, InterruptedException {
    Path data = Files.createTempDirectory(directory, "etcd");
    NativeServer server =
        NativeServer.start(
            "etcd",
            "ready to serve client requests",
            directory,
            port,
            free -> {
              String client = "http://127.0.0.1:" + free;
              return List.of(
                  program,
                  "--data-dir",
                  data.toString(),
                  "--listen-client-urls",
                  client,
                  "--advertise-client-urls",
                  client,
                  "--listen-peer-urls",
                  "http://127.0.0.1:0",
                  "--heartbeat-interval",
                  "50",
                  "--election-timeout",
                  "500");
            });
    return server.process().pid() + " " + server.port();
  }
}
