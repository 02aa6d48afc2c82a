package dev.fencing.examples.comparison.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * What the processors have done since the machine was started, as Linux counts it.
 *
 * @param all in ticks, over all processors
 * @param stolen of these, those in which the host had something else to do while this machine
 *     wanted to work: a virtual machine stands still then, and whatever is measured takes longer
 */
record CpuTime(long all, long stolen) {

  private static final Path STAT = Path.of("/proc/stat");
  private static final int STOLEN = 8;

  /** Those that the times of guests are counted in, too, come after this. */
  private static final int COUNTED = 9;

  /** What it is now; nothing where there is no such count. */
  static CpuTime now() {
    try {
      return parse(Files.readAllLines(STAT).get(0));
    } catch (IOException notLinux) {
      return new CpuTime(0, 0);
    }
  }

  static CpuTime parse(String line) {
    String[] words = line.split(" +", -1);
    long all = Arrays.stream(words, 1, COUNTED).mapToLong(Long::parseLong).sum();
    return new CpuTime(all, Long.parseLong(words[STOLEN]));
  }

  /** How much of the time since then the host has taken, in words. */
  String stolenSince(CpuTime before) {
    return all == before.all
        ? "unknown"
        : String.format(
            Locale.ROOT, "%.1f %%", 100.0 * (stolen - before.stolen) / (all - before.all));
  }
}
