package dev.fencing.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the benchmarks have found so far. For one thread. */
final class Findings {

  private final List<Row> rows = new ArrayList<>();
  private final Map<String, Map<Integer, Double>> curves = new LinkedHashMap<>();
  private String benchmark = "";

  /** Says which benchmark the next findings are of. */
  void begin(String name) {
    benchmark = name;
  }

  void add(String what, String unit, Spread spread) {
    rows.add(new Row(benchmark, what, unit, spread, null));
  }

  void add(String what, String unit, Spread spread, Goal goal) {
    rows.add(new Row(benchmark, what, unit, spread, goal));
  }

  /** Adds a point to the curve of handoffs a second over waiters. */
  void addPoint(String curve, int waiters, double rate) {
    curves.computeIfAbsent(curve, name -> new TreeMap<>()).put(waiters, rate);
  }

  List<Row> rows() {
    return Collections.unmodifiableList(rows);
  }

  Map<String, Map<Integer, Double>> curves() {
    return Collections.unmodifiableMap(curves);
  }

  /** The rows whose goal was missed, those to aim at included. */
  List<Row> misses() {
    return rows.stream().filter(row -> !row.isMet()).toList();
  }

  boolean allTargetsMet() {
    return misses().stream().noneMatch(row -> row.goal() != null && row.goal().binding());
  }
}
