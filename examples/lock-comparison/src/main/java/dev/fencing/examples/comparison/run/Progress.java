package dev.fencing.examples.comparison.run;

import dev.fencing.examples.comparison.history.Transaction;
import dev.fencing.examples.comparison.work.Pauses;
import dev.fencing.examples.comparison.work.Planned;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
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
  private final List<Part> running = new ArrayList<>();
  private int ended;
  private long lastLine = System.nanoTime();

  /**
   * @param total how many transactions all runs have together
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

  /** A run begins. */
  synchronized Part begin(String name, int transactions) {
    Part part = new Part(name, transactions);
    running.add(part);
    say("%s: %d transactions".formatted(name, transactions));
    return part;
  }

  private void show() {
    int done = ended + running.stream().mapToInt(part -> part.done.size()).sum();
    if (bar != null) {
      bar.stepTo(done);
      bar.setExtraMessage(parts(Part::briefly));
    } else if (System.nanoTime() - lastLine > LINE.toNanos()) {
      say("  %s; %d of %d in all".formatted(parts(Part::toString), done, total));
    }
  }

  private String parts(Function<Part, String> text) {
    return running.stream().map(text).collect(Collectors.joining("; "));
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }

  /** One run. */
  final class Part {

    private final String name;
    private final int transactions;
    private final Set<Integer> done = new HashSet<>();

    private Part(String name, int transactions) {
      this.name = name;
      this.transactions = transactions;
    }

    private void done(int transaction) {
      synchronized (Progress.this) {
        done.add(transaction);
        show();
      }
    }

    /** It is over. */
    void end(String outcome) {
      synchronized (Progress.this) {
        running.remove(this);
        ended += transactions;
        show();
        say("  " + name + ": " + outcome);
      }
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

    /** What fits beside a bar. */
    private String briefly() {
      return "%s %d/%d".formatted(name, done.size(), transactions);
    }

    @Override
    public String toString() {
      return "%s: %d done, %d left".formatted(name, done.size(), transactions - done.size());
    }
  }
}
