package dev.fencing.benchmarks;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.Styler.LegendPosition;

/** The findings as a picture: the ratios with their goals, and handoffs a second over threads. */
final class Plot {

  private static final int WIDTH = 1_100;
  private static final int HEIGHT = 480;
  private static final Color[] COLOURS = {new Color(0x6e7781), new Color(0x0969da)};

  private Plot() {}

  /** Returns the charts that there are findings for. */
  static List<Chart<?, ?>> charts(Findings findings) {
    List<Chart<?, ?>> charts = new ArrayList<>();
    List<Row> ratios = findings.rows().stream().filter(Plot::isRatioToReach).toList();
    if (!ratios.isEmpty()) {
      charts.add(ratios(ratios));
    }
    if (!findings.curves().isEmpty()) {
      charts.add(curves(findings.curves()));
    }
    return charts;
  }

  /** Writes them below one another; nothing if there are none. */
  static void write(List<Chart<?, ?>> charts, Path png) throws IOException {
    if (!charts.isEmpty()) {
      BitmapEncoder.saveBitmap(charts, charts.size(), 1, png.toString(), BitmapFormat.PNG);
    }
  }

  private static CategoryChart ratios(List<Row> rows) {
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title("Median of the rounds as a multiple of the goal: met from 1 on")
            .build();
    style(chart);
    chart.getStyler().setXAxisLabelRotation(20).setLegendVisible(false);
    List<String> names = rows.stream().map(row -> row.benchmark() + ": " + row.what()).toList();
    chart.addSeries(
        "multiple",
        names,
        rows.stream().map(row -> row.spread().median() / goal(row).bound()).toList());
    return chart;
  }

  private static XYChart curves(Map<String, Map<Integer, Double>> curves) {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title("Handoffs a second on one mutex object")
            .xAxisTitle("threads")
            .build();
    style(chart);
    chart.getStyler().setXAxisLogarithmic(true).setYAxisMin(0.0);
    curves.forEach(
        (name, curve) ->
            chart.addSeries(
                name, new ArrayList<>(curve.keySet()), new ArrayList<>(curve.values())));
    return chart;
  }

  private static void style(Chart<?, ?> chart) {
    chart
        .getStyler()
        .setSeriesColors(COLOURS)
        .setChartBackgroundColor(Color.WHITE)
        .setLegendPosition(LegendPosition.InsideNE);
  }

  private static boolean isRatioToReach(Row row) {
    return row.unit().equals("×")
        && row.goal() != null
        && row.goal().direction() == Goal.Direction.AT_LEAST;
  }

  private static Goal goal(Row row) {
    return Objects.requireNonNull(row.goal());
  }
}
