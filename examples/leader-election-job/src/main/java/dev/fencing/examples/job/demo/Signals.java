package dev.fencing.examples.job.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Freezes and wakes a process, as a VM pause does: all its threads at once. */
public final class Signals {

  private static final Duration BOUND = Duration.ofSeconds(10);

  private Signals() {}

  /** Whether this system knows SIGSTOP. */
  public static boolean supported() {
    return !System.getProperty("os.name").startsWith("Windows");
  }

  /** Sends SIGSTOP and returns when the system says that the process is stopped. */
  public static void freeze(long pid) throws IOException, InterruptedException {
    signal("STOP", pid);
    long start = System.nanoTime();
    while (state(pid) != 'T') {
      if (System.nanoTime() - start > BOUND.toNanos()) {
        throw DemoException.unfinished(
            "process %d is still in state %c %d s after SIGSTOP"
                .formatted(pid, state(pid), BOUND.toSeconds()));
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  /** Sends SIGCONT. */
  public static void wake(long pid) throws IOException, InterruptedException {
    signal("CONT", pid);
  }

  private static void signal(String name, long pid) throws IOException, InterruptedException {
    // The shell's own kill: small images come without a kill program.
    run("kill -" + name + " " + pid);
  }

  private static char state(long pid) throws IOException, InterruptedException {
    Path stat = Path.of("/proc/" + pid + "/stat");
    if (Files.isReadable(stat)) {
      String text = Files.readString(stat);
      // The state follows the command in brackets, which may itself hold brackets and blanks.
      return text.charAt(text.lastIndexOf(')') + 2);
    }
    String state = run("ps -o state= -p " + pid).strip();
    return state.isEmpty() ? '?' : state.charAt(0);
  }

  private static String run(String command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int exit = process.waitFor();
    if (exit != 0) {
      throw DemoException.unfinished(
          "\"%s\" ended with %d: %s".formatted(command, exit, output.strip()));
    }
    return output;
  }
}
