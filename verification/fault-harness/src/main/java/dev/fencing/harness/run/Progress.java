package dev.fencing.harness.run;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** Shows how far the work is: a bar on a terminal, elsewhere a line every few seconds. */
final class Progress implements AutoCloseable {

  private static final Duration LINE = Duration.ofSeconds(5);

  private final PrintStream out;
  private final Duration total;
  private final @Nullable ProgressBar bar;
  private Duration before = Duration.ZERO;
  private Duration length = Duration.ZERO;
  private String name = "";
  private long lastLine = System.nanoTime();

  /**
   * @param total how long all arms work together
   */
  Progress(PrintStream out, Duration total) {
    this.out = out;
    this.total = total;
    this.bar =
        !isTerminal()
            ? null
            : new ProgressBarBuilder()
                .setInitialMax(total.toSeconds())
                .setUnit(" s", 1)
                .setStyle(ProgressBarStyle.ASCII)
                .build();
  }

  /** Whether standard output is one; the console that Java knows may be one where this is none. */
  private static boolean isTerminal() {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    } catch (IOException unknown) {
      return false;
    }
  }

  /** Something that takes its time. */
  void say(String what) {
    if (bar == null) {
      out.println(what);
    } else {
      bar.setExtraMessage(what);
    }
    lastLine = System.nanoTime();
  }

  void begin(Act act) {
    name = act.toString();
    length = act.length();
    say(String.format(Locale.ROOT, "%s, %d s", name, length.toSeconds()));
  }

  void at(long nanos, int faults) {
    Duration done = before.plusNanos(nanos);
    if (bar != null) {
      bar.stepTo(Math.min(total.toSeconds(), done.toSeconds()));
      bar.setExtraMessage(name + ", " + faults + " faults");
    } else if (System.nanoTime() - lastLine > LINE.toNanos()) {
      say(
          String.format(
              Locale.ROOT,
              "  %s: %d of %d s, %d faults (%d of %d s in all)",
              name,
              Duration.ofNanos(nanos).toSeconds(),
              length.toSeconds(),
              faults,
              done.toSeconds(),
              total.toSeconds()));
    }
  }

  void end(boolean asItShould, String outcome) {
    before = before.plus(length);
    say(
        "%s: %s%s"
            .formatted(name, outcome, asItShould ? ", as it should be" : " - AND SHOULD NOT"));
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
