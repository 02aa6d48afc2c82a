package dev.fencing.examples.job.demo;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * The process that owns the embedded servers and ends the whole run.
 *
 * <p>When its standard input ends, because the demo closed it or because the demo died of whatever,
 * SIGKILL included, it ends every process of the run, PostgreSQL and stopped workers too, and
 * deletes the run's directory. It tells its progress by lines on standard output.
 */
final class Guardian {

  static final String ZOOKEEPER = "zookeeper ";
  static final String POSTGRES = "postgres ";
  static final String FAILED = "failed ";
  static final String READY = "ready";

  private static final System.Logger LOG = System.getLogger(Guardian.class.getName());
  private static final Duration START_ABORT_BOUND = Duration.ofSeconds(3);
  private static final Duration POSTGRES_BOUND = Duration.ofSeconds(50);

  private final RunDirectory run;

  private Guardian(RunDirectory run) {
    this.run = run;
  }

  /**
   * Runs until standard input ends.
   *
   * @param args the run's directory, the directory to keep PostgreSQL's programs in, then which
   *     servers to start: zookeeper, postgres
   */
  public static void main(String[] args) {
    RunDirectory run = new RunDirectory(Path.of(args[0]));
    Thread starter = Thread.currentThread();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> clear(run, starter), "clear"));
    Thread watch = new Thread(Guardian::exitAtEndOfInput, "watch");
    watch.start();
    Guardian guardian = new Guardian(run);
    try {
      for (String server : Stream.of(args).skip(2).toList()) {
        say(server.equals("zookeeper") ? guardian.zookeeper() : guardian.postgres(args[1]));
      }
      say(READY);
    } catch (Exception | ExceptionInInitializerError e) {
      LOG.log(System.Logger.Level.ERROR, "the servers did not start", e);
      say(FAILED + e + "; " + run.tail("postgres"));
    }
  }

  // A server that is just being started would make files, or a process, behind our back.
  private static void clear(RunDirectory run, Thread starter) {
    long start = System.nanoTime();
    try {
      while (starter.isAlive() && System.nanoTime() - start < START_ABORT_BOUND.toNanos()) {
        // Again each time: what it calls may swallow one.
        starter.interrupt();
        run.endProcesses();
        starter.join(20);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    run.clear();
  }

  private static void exitAtEndOfInput() {
    try {
      while (System.in.read() >= 0) {
        // Nothing is said here; only the end counts.
      }
    } catch (IOException e) {
      // As good as its end.
    }
    System.exit(0);
  }

  private static void say(String line) {
    System.out.println(line.replaceAll("\\s+", " ").strip());
  }

  private String zookeeper() throws Exception {
    Path directory = Files.createDirectories(run.path().resolve("zookeeper"));
    return ZOOKEEPER + EmbeddedZooKeeper.start(directory).address();
  }

  private String postgres(String programs) throws IOException {
    Path directory = programsDirectory(Path.of(programs));
    Path log = run.log("postgres");
    try (RandomAccessFile lock = new RandomAccessFile(directory.resolve("lock").toFile(), "rw")) {
      lock.getChannel().lock();
      // Below the private directory, because embedded PostgreSQL lets everybody write into its own.
      Path unpacked = Files.createDirectories(directory.resolve("unpacked"));
      deleteHalfUnpacked(unpacked);
      EmbeddedPostgres server =
          EmbeddedPostgres.builder()
              .setOverrideWorkingDirectory(unpacked.toFile())
              .setDataDirectory(run.path().resolve("postgres"))
              .setRegisterShutdownHook(false)
              .setPGStartupWait(POSTGRES_BOUND)
              .setServerConfig("fsync", "on")
              .setServerConfig("synchronous_commit", "on")
              .setServerConfig("unix_socket_directories", "")
              .setErrorRedirector(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .setOutputRedirector(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start();
      return POSTGRES + "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres";
    }
  }

  // The programs run with our rights, so nobody else may be able to write them.
  private Path programsDirectory(Path shared) throws IOException {
    var ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    try {
      return Files.createDirectory(shared, ownerOnly);
    } catch (FileAlreadyExistsException e) {
      boolean ours = Files.getOwner(shared).equals(Files.getOwner(run.path()));
      return ours ? shared : Files.createDirectory(run.path().resolve("programs"), ownerOnly);
    }
  }

  // What an interrupted run has unpacked in part would be taken for whole by the next one.
  private static void deleteHalfUnpacked(Path directory) throws IOException {
    try (Stream<Path> versions = Files.list(directory)) {
      for (Path version : versions.filter(Files::isDirectory).toList()) {
        if (Files.notExists(version.resolve(".exists"))) {
          RunDirectory.delete(version);
        }
      }
    }
  }
}
