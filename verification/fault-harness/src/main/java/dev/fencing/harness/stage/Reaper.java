package dev.fencing.harness.stage;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A shell that waits for the end of this process and then ends what it has left: processes, stopped
 * ones too, and the directory. So nothing stays, not even after SIGKILL. Thread-safe.
 */
public final class Reaper implements AutoCloseable {

  // Ctrl-C reaches the whole foreground group; this one has to outlive it. A database that is
  // killed with SIGKILL leaves shared memory behind, so it gets SIGQUIT, its immediate shutdown. It
  // is
  // found by its files: whoever has started it may be gone before it could tell its number.
  private static final String SCRIPT =
      """
      trap '' INT TERM HUP
      directory=$1
      pids=' '
      databases() {
        for process in /proc/[0-9]*; do
          case $(readlink "$process/exe") in
            */postgres | */initdb | */unshare)
              if grep -qF "$directory" "$process/cmdline"; then echo "${process#/proc/}"; fi ;;
          esac
        done
      }
      while read -r verb pid; do
        case $verb in
          started) pids="$pids$pid " ;;
          ended) pids=$(printf '%s' "$pids" | sed "s/ $pid / /") ;;
        esac
      done
      for pid in $pids; do kill -KILL "$pid"; done 2>/dev/null
      for i in 1 2 3 4 5 6 7 8 9 10; do
        found=$(databases)
        for pid in $found; do
          kill -CONT "-$pid" "$pid"
          kill -QUIT "$pid"
        done 2>/dev/null
        sleep 0.2
        if [ -z "$found" ] && [ "$i" != 1 ]; then break; fi
      done
      rm -rf "$directory"
      """;

  private final Process shell;
  private final BufferedWriter in;

  private Reaper(Process shell) {
    this.shell = shell;
    this.in = shell.outputWriter(StandardCharsets.UTF_8);
  }

  /** Starts watching; {@code directory} is deleted in the end. */
  static Reaper start(Path directory) throws IOException {
    return new Reaper(
        new ProcessBuilder("sh", "-c", SCRIPT, "reaper", directory.toString())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start());
  }

  void started(long pid) {
    tell("started " + pid);
  }

  void ended(long pid) {
    tell("ended " + pid);
  }

  private synchronized void tell(String line) {
    try {
      in.write(line);
      in.newLine();
      in.flush();
    } catch (IOException e) {
      throw new HarnessException("the shell that cleans up behind the harness is gone", e);
    }
  }

  /** Has it do its work now, and waits for that. */
  @Override
  public synchronized void close() {
    try {
      in.close();
      if (!shell.waitFor(20, TimeUnit.SECONDS)) {
        shell.destroyForcibly();
      }
    } catch (IOException gone) {
      // Nothing to wait for.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
