package dev.fencing.harness.report;

import dev.fencing.harness.checker.Thresholds;
import dev.fencing.harness.history.RunDirectory;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Judges directories of runs again, without running anything.
 *
 * <p>The histories can be given to other checkers as well: {@code history.edn} has one map a line,
 * and Knossos and Elle read its keys {@code :index :time :process :type :f :value}. Elle's
 * list-append and Knossos' register take other values than these, so their operations have to be
 * made from {@code :key} (or {@code :resource}) and {@code :value}; a read has {@code {:ver n
 * :value v}}.
 */
public final class Recheck {

  private Recheck() {}

  /**
   * Judges and prints.
   *
   * @param html where to write the page; null for nowhere
   * @return 0 if everything is as it should be, 1 if not, 2 if a directory is no run, 3 if a file
   *     cannot be read or written
   */
  public static int check(
      List<Path> directories, Thresholds thresholds, @Nullable Path html, PrintStream out) {
    List<Result> results = new ArrayList<>();
    for (Path directory : directories) {
      RunDirectory run = new RunDirectory(directory);
      if (!Files.exists(run.historyFile())) {
        out.println(directory + " is no run: there is no history.edn");
        return 2;
      }
      try {
        Result result = Result.of(run, thresholds);
        out.println(directory + "  " + result.text());
        results.add(result);
      } catch (IOException e) {
        out.println(directory + " cannot be read: " + e.getMessage());
        return 3;
      }
    }
    long seed = 0;
    for (Result result : results) {
      seed = result.verdict().end() == null ? seed : result.verdict().end().seed();
    }
    Report report = new Report(new Meta("again", "checked again", seed, Map.of()), results);
    out.println(report.terminal());
    if (html != null) {
      try {
        report.writeHtml(html);
      } catch (IOException e) {
        out.println(html + " cannot be written: " + e.getMessage());
        return 3;
      }
    }
    return report.asItShould() ? 0 : 1;
  }

  /** Takes directories, and before them {@code --html FILE} if a page is wanted. */
  public static void main(String[] arguments) {
    boolean page = arguments.length > 1 && arguments[0].equals("--html");
    List<Path> directories = new ArrayList<>();
    for (int i = page ? 2 : 0; i < arguments.length; i++) {
      directories.add(Path.of(arguments[i]));
    }
    if (directories.isEmpty()) {
      System.err.println("usage: [--html FILE] DIRECTORY...");
      System.exit(2);
    }
    System.exit(
        check(directories, Thresholds.FULL, page ? Path.of(arguments[1]) : null, System.out));
  }
}
