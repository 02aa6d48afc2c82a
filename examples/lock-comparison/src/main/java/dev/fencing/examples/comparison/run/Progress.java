package dev.fencing.examples.comparison.run;

import dev.fencing.examples.comparison.history.Transaction;
import dev.fencing.examples.comparison.work.Pauses;
import dev.fencing.examples.comparison.work.Planned;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** How far it is: a bar on a terminal, elsewhere a line every few seconds. Thread-safe. */
final class Progress implements AutoCloseable {

  private static final Duration LINE = Duration.ofSeconds(5);

  private final PrintStream out;
  private final int total;
  private final @Nullable ProgressBar bar;
  private final Set<Integer> doneOfArm = new HashSet<>();
  private String doing = "";
  private int ofArm;
  private int doneBefore;
  private long lastLine = System.nanoTime();

  /**
   * @param total how many transactions all arms have together
   */
  Progress(PrintStream out, int total) {
    this.out = out;
    this.total = total;
    this.bar =
        isTerminal()
            ? new ProgressBarBuilder()
                .setInitialMax(total)
                .setUnit(" transactions", 1)
                .setStyle(ProgressBarStyle.ASCII)
                .build()
            : null;
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

  /** Something of which no transaction counts. */
  synchronized void say(String what) {
    if (bar == null) {
      out.println(what);
    } else {
      bar.setExtraMessage(what);
    }
    lastLine = System.nanoTime();
  }

  /** The first transaction of an arm. */
  synchronized void begin(String arm, int transactions) {
    doing = arm;
    ofArm = transactions;
    doneOfArm.clear();
    say("%s: %d transactions".formatted(arm, transactions));
  }

  private synchronized void done(int transaction) {
    doneOfArm.add(transaction);
    int done = doneOfArm.size();
    int all = doneBefore + done;
    if (bar != null) {
      bar.stepTo(all);
      bar.setExtraMessage("%s, %d left of it".formatted(doing, ofArm - done));
    } else if (System.nanoTime() - lastLine > LINE.toNanos()) {
      say(
          String.format(
              Locale.ROOT,
              "  %s: %d done, %d left; %d of %d in all",
              doing,
              done,
              ofArm - done,
              all,
              total));
    }
  }

  /** The last one of it. */
  synchronized void end(String outcome) {
    doneBefore += ofArm;
    if (bar != null) {
      bar.stepTo(doneBefore);
    }
    say("  " + doing + ": " + outcome);
  }

  /** Counts what passes. */
  Pauses counting(Pauses pauses) {
    return new Pauses() {
      @Override
      public void before(Planned planned) throws Exception {
        pauses.before(planned);
      }

      @Override
      public void whileStopped(Planned planned) throws Exception {
        pauses.whileStopped(planned);
      }

      @Override
      public void after(Transaction attempt) {
        pauses.after(attempt);
        done(attempt.number());
      }
    };
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
