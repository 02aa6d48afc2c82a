package dev.fencing.examples.comparison.server;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a run, all on ports of 127.0.0.1 that are free. Thread-safe.
 *
 * <p>Nothing stays behind: {@link #close} and the end of this process, whatever ends it, have the
 * {@link Guardian} end servers and workers and delete the run's directory.
 */
public final class Servers implements AutoCloseable {

  private static final Duration STOP = Duration.ofSeconds(30);

  private final Path directory;
  private final Process guardian;
  private final BufferedWriter commands;
  private final BufferedReader answers;
  private final Map<Node, ProcessHandle> running = new ConcurrentHashMap<>();
  private final Set<ProcessHandle> watched = ConcurrentHashMap.newKeySet();
  private final String redisProgram;
  private int redisPort;

  private Servers(Path directory, Process guardian, int redisPort, String redisProgram) {
    this.directory = directory;
    this.guardian = guardian;
    this.commands = guardian.outputWriter(StandardCharsets.UTF_8);
    this.answers = guardian.inputReader(StandardCharsets.UTF_8);
    this.redisPort = redisPort;
    this.redisProgram = redisProgram;
  }

  /** Makes the run's directory; no server is started yet. */
  public static Servers open() throws IOException {
    return open(0, "");
  }

  /**
   * Makes the run's directory; no server is started yet.
   *
   * @param redisPort the port of the first Redis, the next ones follow; 0 for any that are free
   * @param redisProgram a redis-server, as a file or as a name on the PATH; empty for the embedded
   *     one
   */
  public static Servers open(int redisPort, String redisProgram) throws IOException {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir")).toRealPath();
    Path directory =
        Files.createDirectory(
            temporary.resolve("lock-comparison-" + UUID.randomUUID()),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    List<String> command = new ArrayList<>(jvm(directory, 256));
    command.add(Guardian.class.getName());
    command.add(directory.toString());
    Process guardian =
        new ProcessBuilder(command)
            .redirectError(directory.resolve("guardian.log").toFile())
            .start();
    Servers servers = new Servers(directory, guardian, redisPort, whereItIs(redisProgram));
    Runtime.getRuntime().addShutdownHook(new Thread(servers::close, "end-servers"));
    return servers;
  }

  /** A server is started in another directory, from which a relative path leads elsewhere. */
  private static String whereItIs(String program) {
    return program.contains(File.separator)
        ? Path.of(program).toAbsolutePath().normalize().toString()
        : program;
  }

  /** The beginning of a command line for a JVM on this class path with its files in the run's. */
  public static List<String> jvm(Path directory, int heap) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Djava.io.tmpdir=" + directory,
        "-Xmx" + heap + "m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-XX:-UsePerfData",
        "-XX:+DisplayVMOutputToStderr",
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
        "-cp",
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
  }

  /** Where everything of the run is kept, until its end. */
  public Path directory() {
    return directory;
  }

  /** Starts a ZooKeeper; sessions last for 2 to 20 ticks. Returns its port. */
  public int zookeeper(Duration tick) {
    return Integer.parseInt(ask("zookeeper " + tick.toMillis()));
  }

  /** Starts a PostgreSQL that syncs every commit, and returns a JDBC URL. */
  public String postgres() {
    Node node = node("PostgreSQL", ask("postgres"));
    return "jdbc:postgresql://127.0.0.1:%d/postgres?user=postgres".formatted(node.port());
  }

  /** Starts a MariaDB that syncs every commit, and returns a JDBC URL. */
  public String mariadb() {
    String answer = ask("mariadb");
    Node node = node("MariaDB", answer);
    return "jdbc:mariadb://127.0.0.1:%d/fencing?user=%s"
        .formatted(node.port(), answer.split(" ", -1)[2]);
  }

  /** Starts a Redis that keeps nothing on disk. */
  public synchronized Node redis() {
    Node node = node("Redis", ask("redis " + redisPort + " " + redisProgram));
    if (redisPort != 0) {
      redisPort++;
    }
    return node;
  }

  /** Where the program of the etcd server is; empty if none is installed. */
  public static Optional<Path> etcdProgram() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .map(place -> Path.of(place, "etcd"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Starts an etcd. */
  public Node etcd(Path program) {
    return node("etcd", ask("etcd 0 " + program));
  }

  /** Has the guardian end this process of the run, too. */
  public void watch(long pid) {
    ask("watch " + pid);
    ProcessHandle.of(pid).ifPresent(watched::add);
  }

  /** Kills a server and returns when it is gone. */
  public void end(Node node) {
    running.remove(node);
    ask("end " + node.pid());
  }

  /** Which server has ended on its own, as a sentence; null if none has. */
  public @Nullable String failure() {
    if (!guardian.isAlive()) {
      return "the process of the servers has ended on its own";
    }
    return running.entrySet().stream()
        .filter(server -> !server.getValue().isAlive())
        .map(Map.Entry::getKey)
        .findFirst()
        .map(
            node ->
                "%s on port %d (process %d) has ended in the middle of the run"
                    .formatted(node.name(), node.port(), node.pid()))
        .orElse(null);
  }

  private Node node(String name, String answer) {
    String[] words = answer.split(" ", -1);
    Node node = new Node(name, Long.parseLong(words[0]), Integer.parseInt(words[1]));
    running.put(
        node,
        ProcessHandle.of(node.pid())
            .orElseThrow(
                () ->
                    new ServerException(
                        "%s on port %d (process %d) has ended right after it was ready"
                            .formatted(name, node.port(), node.pid()))));
    return node;
  }

  private synchronized String ask(String command) {
    try {
      commands.write(command);
      commands.newLine();
      commands.flush();
      String answer = answers.readLine();
      if (answer != null && answer.startsWith(Guardian.OK)) {
        return answer.substring(Guardian.OK.length()).strip();
      }
      throw new ServerException(
          answer == null
              ? "the process of the servers has ended: "
                  + NativeServer.lastLines(directory.resolve("guardian.log"))
              : answer.substring(Guardian.FAILED.length()));
    } catch (IOException e) {
      throw new ServerException("the process of the servers has ended", e);
    }
  }

  @Override
  public void close() {
    try {
      guardian.getOutputStream().close();
      if (!guardian.waitFor(STOP.toSeconds(), TimeUnit.SECONDS)) {
        guardian.destroyForcibly();
      }
    } catch (IOException gone) {
      // It has ended already.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (Files.exists(directory)) {
      clear();
    }
  }

  /** What the guardian has left, because it was killed itself. */
  private void clear() {
    new ServerPrograms(directory).stopPostgres(STOP);
    Stream.concat(running.values().stream(), watched.stream()).forEach(Guardian::kill);
    Guardian.delete(directory);
  }
}
