package dev.fencing.harness.report;

import dev.fencing.harness.checker.Thresholds;
import dev.fencing.harness.history.RunDirectory;
import dev.fencing.harness.history.RunEnd;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

  private static final Pattern NUMBERED = Pattern.compile("(\\d+)-.*");

  private Recheck() {}

  /**
   * Judges and prints.
   *
   * @param meta what the report is to say; the seed of the whole is found in the runs
   * @param html where to write the page; null for nowhere
   * @param resultsFile where to write the results; null for nowhere
   * @return 0 if everything is as it should be, 1 if not, 2 if a directory is no run, 3 if a file
   *     cannot be read or written
   */
  public static int check(
      List<Path> directories,
      Thresholds thresholds,
      Meta meta,
      @Nullable Path html,
      @Nullable Path resultsFile,
      PrintStream out) {
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
    Report report =
        new Report(new Meta(meta.profile(), meta.date(), seed(results), meta.versions()), results);
    out.println(report.terminal());
    try {
      if (html != null) {
        report.writeHtml(html);
      }
      if (resultsFile != null) {
        report.writeResults(resultsFile);
      }
    } catch (IOException e) {
      out.println("the report cannot be written: " + e);
      return 3;
    }
    return report.asItShould() ? 0 : 1;
  }

  /** Returns the seed of the whole, to which each run has added its number, see its name. */
  private static long seed(List<Result> results) {
    for (Result result : results) {
      RunEnd end = result.verdict().end();
      if (end != null) {
        Matcher number = NUMBERED.matcher(result.name());
        return number.matches() ? end.seed() - Long.parseLong(number.group(1)) : end.seed();
      }
    }
    return 0;
  }
}
