package dev.fencing.harness.checker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answers which was the largest number before some time. Fill it first, ask then.
 *
 * @param <T> what the numbers come from
 */
final class Rising<T> {

  record Entry<T>(long time, long number, T source) {}

  private final List<Entry<T>> entries = new ArrayList<>();
  private boolean ready;

  void add(long time, long number, T source) {
    entries.add(new Entry<>(time, number, source));
    ready = false;
  }

  /** Returns the entry with the largest number of all whose time is less; null if there is none. */
  @Nullable Entry<T> before(long time) {
    prepare();
    int low = 0;
    int high = entries.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (entries.get(middle).time() < time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == 0 ? null : entries.get(low - 1);
  }

  /** From then on each entry stands for the largest up to its time. */
  private void prepare() {
    if (ready) {
      return;
    }
    entries.sort(Comparator.comparingLong(Entry::time));
    for (int i = 1; i < entries.size(); i++) {
      Entry<T> largest = entries.get(i - 1);
      if (largest.number() >= entries.get(i).number()) {
        entries.set(i, new Entry<>(entries.get(i).time(), largest.number(), largest.source()));
      }
    }
    ready = true;
  }
}
