package dev.fencing.harness.checker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The times in which two workers both believed to hold one lock. Such an episode is no error; it is
 * what a run is for.
 */
public final class Episodes {

  private Episodes() {}

  /**
   * An episode.
   *
   * @param first who was there before
   * @param second who came
   * @param from when the second was granted the lock
   * @param to when the first of the two was through
   */
  public record Episode(Hold first, Hold second, long from, long to) {}

  /**
   * Returns how many different holds were the first of an episode. One that is frozen for long is
   * the first of as many episodes as the lock has holders meanwhile, which are all the same
   * misfortune.
   */
  public static int overtaken(List<Episode> episodes) {
    return (int) episodes.stream().map(episode -> episode.first().name()).distinct().count();
  }

  /** Returns every pair of holds of different workers that overlap on one lock. */
  public static List<Episode> of(Indexed run) {
    List<Episode> episodes = new ArrayList<>();
    Map<String, List<Hold>> current = new HashMap<>();
    for (Hold hold : run.holds()) {
      List<Hold> others = current.computeIfAbsent(hold.resource(), lock -> new ArrayList<>());
      others.removeIf(other -> other.to() <= hold.from());
      for (Hold other : others) {
        if (other.worker() != hold.worker() && hold.to() > hold.from()) {
          episodes.add(new Episode(other, hold, hold.from(), Math.min(other.to(), hold.to())));
        }
      }
      others.add(hold);
    }
    return episodes;
  }
}
