package dev.fencing.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Measures contestants in turn: rounds for all that are thrown away, then rounds in alternating
 * order, A B C, C B A, A B C and so on, so that none has always the colder or the busier machine.
 */
final class Rounds {

  /** One measurement of one contestant. */
  @FunctionalInterface
  interface Measurement {
    double run() throws Exception;
  }

  private final Map<String, Measurement> contestants = new LinkedHashMap<>();
  private final Map<String, double[]> measured = new LinkedHashMap<>();

  Rounds with(String name, Measurement measurement) {
    contestants.put(name, measurement);
    return this;
  }

  Rounds run(int warmUps, int rounds) throws Exception {
    List<String> order = new ArrayList<>(contestants.keySet());
    for (int round = 0; round < warmUps; round++) {
      for (String name : order) {
        measure(name);
      }
    }
    for (String name : order) {
      measured.put(name, new double[rounds]);
    }
    for (int round = 0; round < rounds; round++) {
      for (String name : order) {
        of(name)[round] = measure(name);
      }
      Collections.reverse(order);
    }
    return this;
  }

  /** The rounds of one contestant. */
  double[] of(String name) {
    return Objects.requireNonNull(measured.get(name), name);
  }

  Spread spread(String name) {
    return Spread.of(of(name));
  }

  Spread ratio(String numerator, String denominator) {
    return Spread.ofRatios(of(numerator), of(denominator));
  }

  private double measure(String name) throws Exception {
    System.gc(); // Nobody clears up after somebody else.
    return Objects.requireNonNull(contestants.get(name), name).run();
  }
}
