package dev.fencing.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The findings as a picture: the ratios with their goals, and handoffs a second over waiters.
 *
 * <p>SVG that is written here and not by a charting library: those draw with the fonts of the
 * machine, and a small container has none.
 */
final class Plot {

  private static final int WIDTH = 900;
  private static final int LEFT = 330;
  private static final int RIGHT = 90;
  private static final int TOP = 50;
  private static final int LINE = 26;
  private static final int CURVES_HEIGHT = 300;
  private static final String GREEN = "#1a7f37";
  private static final String AMBER = "#bf8700";
  private static final String RED = "#cf222e";
  private static final List<String> COLOURS = List.of("#6e7781", "#0969da");

  private final List<Row> ratios;
  private final Map<String, Map<Integer, Double>> curves;
  private final StringBuilder svg = new StringBuilder();

  Plot(Findings findings) {
    this.ratios = findings.rows().stream().filter(Plot::isRatioToReach).toList();
    this.curves = findings.curves();
  }

  String svg() {
    int barsHeight = ratios.isEmpty() ? 0 : TOP + LINE * ratios.size() + 20;
    int height = barsHeight + (curves.isEmpty() ? 0 : CURVES_HEIGHT + 2 * TOP) + 20;
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
            + " font-family=\"sans-serif\" font-size=\"13\">",
        WIDTH, height, WIDTH, height);
    add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
    if (!ratios.isEmpty()) {
      bars();
    }
    if (!curves.isEmpty()) {
      curves(barsHeight + TOP);
    }
    return svg.append("</svg>\n").toString();
  }

  /** Each ratio as a multiple of its goal, so that one line is the goal of all; log scale. */
  private void bars() {
    double most =
        ratios.stream().mapToDouble(row -> row.spread().max() / bound(row)).max().orElse(1);
    double least =
        ratios.stream().mapToDouble(row -> row.spread().min() / bound(row)).min().orElse(1);
    Scale x = Scale.log(Math.min(least, 0.5), Math.max(most, 2), LEFT, WIDTH - RIGHT);
    text(20, 24, "start", "Ratios as a multiple of their goal (median, and all rounds)");
    for (int i = 0; i < ratios.size(); i++) {
      Row row = ratios.get(i);
      double y = TOP + LINE * i;
      double median = row.spread().median() / bound(row);
      double from = Math.min(x.at(1), x.at(median));
      String colour = row.isMet() ? GREEN : goal(row).binding() ? RED : AMBER;
      text(LEFT - 10, y + 15, "end", row.benchmark() + ": " + row.what());
      add(
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"16\" fill=\"%s\"/>",
          from, y + 2, Math.max(1, Math.abs(x.at(median) - x.at(1))), colour);
      line(
          x.at(row.spread().min() / bound(row)),
          y + 10,
          x.at(row.spread().max() / bound(row)),
          y + 10,
          "black");
      text(
          WIDTH - RIGHT + 8,
          y + 15,
          "start",
          Numbers.text(row.spread().median()) + " / " + Numbers.text(bound(row)));
    }
    line(x.at(1), TOP - 8, x.at(1), TOP + LINE * ratios.size(), "black");
    text(x.at(1), TOP - 12, "middle", "goal");
  }

  private void curves(int top) {
    TreeMap<Integer, Double> all = new TreeMap<>();
    curves.values().forEach(curve -> curve.forEach((at, rate) -> all.merge(at, rate, Math::max)));
    double most = all.values().stream().mapToDouble(Double::doubleValue).max().orElse(1);
    Scale x = Scale.log(all.firstKey(), Math.max(all.lastKey(), all.firstKey() + 1), 90, 720);
    Scale y = Scale.linear(0, most * 1.1, top + CURVES_HEIGHT, top);
    text(20, top - 20, "start", "Handoffs a second on one mutex object, over threads");
    for (int waiters : all.keySet()) {
      text(x.at(waiters), top + CURVES_HEIGHT + 20, "middle", Integer.toString(waiters));
    }
    for (int i = 0; i <= 4; i++) {
      double rate = most * i / 4;
      line(90, y.at(rate), 720, y.at(rate), "#d0d7de");
      text(82, y.at(rate) + 4, "end", Numbers.text(Math.rint(rate)));
    }
    int colour = 0;
    for (Map.Entry<String, Map<Integer, Double>> curve : curves.entrySet()) {
      draw(curve.getKey(), curve.getValue(), x, y, COLOURS.get(colour++ % COLOURS.size()));
    }
  }

  private void draw(String name, Map<Integer, Double> curve, Scale x, Scale y, String colour) {
    StringBuilder points = new StringBuilder();
    double[] last = new double[2];
    curve.forEach(
        (waiters, rate) -> {
          last[0] = x.at(waiters);
          last[1] = y.at(rate);
          points.append(String.format(Locale.ROOT, "%.1f,%.1f ", last[0], last[1]));
          add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>", last[0], last[1], colour);
        });
    add(
        "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>",
        points.toString().strip(), colour);
    text(last[0] + 10, last[1] + 4, "start", name);
  }

  private static boolean isRatioToReach(Row row) {
    return row.unit().equals("×")
        && row.goal() != null
        && row.goal().direction() == Goal.Direction.AT_LEAST;
  }

  private static Goal goal(Row row) {
    return Objects.requireNonNull(row.goal());
  }

  private static double bound(Row row) {
    return goal(row).bound();
  }

  private void text(double x, double y, String anchor, String text) {
    String escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, anchor, escaped);
  }

  private void line(double x1, double y1, double x2, double y2, String colour) {
    add(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>",
        x1, y1, x2, y2, colour);
  }

  private void add(String format, Object... arguments) {
    svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }

  /** From values to pixels. */
  private record Scale(boolean log, double low, double high, double from, double to) {

    static Scale log(double low, double high, double from, double to) {
      return new Scale(true, low, high, from, to);
    }

    static Scale linear(double low, double high, double from, double to) {
      return new Scale(false, low, high, from, to);
    }

    double at(double value) {
      double share =
          log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
      return from + share * (to - from);
    }
  }
}
