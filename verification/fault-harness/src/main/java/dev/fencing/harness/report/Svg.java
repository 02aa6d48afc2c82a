package dev.fencing.harness.report;

import dev.fencing.harness.history.Fault;
import dev.fencing.harness.history.FaultKind;
import dev.fencing.harness.report.Timeline.Bar;
import dev.fencing.harness.report.Timeline.Mark;
import dev.fencing.harness.report.Timeline.Sign;
import java.util.List;
import java.util.Locale;

/**
 * A timeline as SVG: a lane for each lock and worker. Whatever a colour says is said by a shape as
 * well.
 */
final class Svg {

  private static final int LANE = 18;
  private static final int GAP = 14;
  private static final int TOP = 44;
  private static final int LABELS = 118;
  private static final int LEFT = 8;
  private static final int WIDTH = 2_400;

  private final Timeline timeline;
  private final double scale;
  private final StringBuilder svg = new StringBuilder();

  private Svg(Timeline timeline) {
    this.timeline = timeline;
    long length = Math.max(1, timeline.to() - timeline.from());
    // Short parts are not stretched beyond 400 pixels a second.
    scale = Math.min(WIDTH, length / 1e9 * 400) / length;
  }

  static String of(Timeline timeline) {
    return new Svg(timeline).draw();
  }

  private String draw() {
    int lanes = timeline.locks().size() * timeline.workers().size();
    int height = TOP + lanes * LANE + timeline.locks().size() * GAP + 8;
    int width = LEFT + (int) Math.ceil((timeline.to() - timeline.from()) * scale) + 24;
    // The labels are a drawing of their own, which stays when the other one is scrolled.
    begin("labels", LABELS, height);
    labels();
    svg.append("</svg>\n<div class=\"scroll\">");
    begin("timeline", width, height);
    svg.append("<title>Holds, pauses and writes</title>\n");
    axis(width, height);
    lanes(width);
    for (Fault fault : timeline.faults()) {
      if (fault.worker() == null) {
        band(fault, height);
      }
    }
    timeline.bars().forEach(this::bar);
    timeline.faults().stream().filter(fault -> fault.worker() != null).forEach(this::strip);
    for (Sign sign : Sign.values()) {
      timeline.marks().stream().filter(mark -> mark.sign() == sign).forEach(this::mark);
    }
    return svg.append("</svg></div>\n").toString();
  }

  private void begin(String style, int width, int height) {
    svg.append(
        "<svg class=\"%s\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">%n"
            .formatted(style, width, height, width, height));
  }

  private void axis(int width, int height) {
    double seconds = (timeline.to() - timeline.from()) / 1e9;
    double step = 0.1;
    for (double wider : List.of(0.2, 0.5, 1.0, 2.0, 5.0)) {
      if (step * scale * 1e9 < 80) {
        step = wider;
      }
    }
    double first = Math.ceil(timeline.from() / 1e9 / step) * step;
    for (double at = first; at <= timeline.from() / 1e9 + seconds; at += step) {
      String x = number(x((long) (at * 1e9)));
      svg.append(
          "<line class=\"grid\" x1=\"%s\" x2=\"%s\" y1=\"%d\" y2=\"%d\"/>"
              .formatted(x, x, TOP - 8, height - 4));
      svg.append(
          "<text class=\"axis\" x=\"%s\" y=\"%d\">%s s</text>%n"
              .formatted(x, TOP - 12, String.format(Locale.ROOT, "%.1f", at)));
    }
    svg.append(
        "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>%n"
            .formatted(LEFT, width - 24, TOP - 8, TOP - 8));
  }

  private void labels() {
    for (String lock : timeline.locks()) {
      svg.append(
          "<text class=\"lock\" x=\"4\" y=\"%d\">%s</text>%n"
              .formatted(y(lock, timeline.workers().get(0)) + LANE - 5, Html.escape(lock)));
      for (int worker : timeline.workers()) {
        svg.append(
            "<text class=\"worker\" x=\"%d\" y=\"%d\">worker %d</text>%n"
                .formatted(LABELS - 6, y(lock, worker) + LANE - 5, worker));
      }
    }
  }

  private void lanes(int width) {
    for (String lock : timeline.locks()) {
      for (int worker : timeline.workers()) {
        svg.append(
            "<rect class=\"lane\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>%n"
                .formatted(LEFT, y(lock, worker) + 1, width - LEFT - 24, LANE - 2));
      }
    }
  }

  private void bar(Bar bar) {
    int y = y(bar.lock(), bar.worker()) + 4;
    svg.append("<g>").append(title(bar.text()));
    rectangle("hold", bar.from(), bar.overtaken(), y, LANE - 8);
    if (bar.overtaken() < bar.to()) {
      rectangle("overtaken", bar.overtaken(), bar.to(), y, LANE - 8);
    }
    svg.append("</g>\n");
  }

  /** At the worker's lanes: a pause stops all that it does, so it is in each of them. */
  private void strip(Fault fault) {
    if (fault.kind() == FaultKind.KILL_HOLDER || fault.worker() == null) {
      return;
    }
    for (String lock : timeline.locks()) {
      if (fault.resource() != null
          && fault.kind() != FaultKind.PAUSE_HOLDER
          && !lock.equals(fault.resource())) {
        continue;
      }
      svg.append("<g>").append(title(text(fault)));
      String style = fault.kind() == FaultKind.PAUSE_HOLDER ? "paused" : "cut";
      rectangle(style, fault.from(), fault.to(), y(lock, fault.worker()) + LANE - 5, 4);
      svg.append("</g>\n");
    }
  }

  private void band(Fault fault, int height) {
    svg.append("<g>").append(title(text(fault)));
    rectangle("band", fault.from(), fault.to(), TOP - 8, height - TOP + 4);
    svg.append(
        "<text class=\"fault\" x=\"%s\" y=\"12\">%s</text></g>%n"
            .formatted(number(x(fault.from())), name(fault)));
  }

  private void mark(Mark mark) {
    List<String> locks = mark.lock().isEmpty() ? timeline.locks() : List.of(mark.lock());
    for (String lock : locks) {
      if (!timeline.locks().contains(lock) || !timeline.workers().contains(mark.worker())) {
        continue;
      }
      String shape =
          switch (mark.sign()) {
            case RAISED -> "M0 -7V7";
            case ACCEPTED -> "M0 -3.6A3.6 3.6 0 1 1 0 3.6A3.6 3.6 0 1 1 0 -3.6Z";
            case REFUSED -> "M-4 -4L4 4M4 -4L-4 4";
            case UNKNOWN -> "M0 -5L5 0L0 5L-5 0Z";
            case KILLED -> "M-3 -8V8M3 -8V8";
            case VIOLATION -> "M0 -9A9 9 0 1 1 0 9A9 9 0 1 1 0 -9Z";
          };
      svg.append(
          "<g class=\"%s\" transform=\"translate(%s %d)\">%s<path d=\"%s\"/></g>%n"
              .formatted(
                  mark.sign().name().toLowerCase(Locale.ROOT),
                  number(x(mark.time())),
                  y(lock, mark.worker()) + LANE / 2,
                  title(mark.text()),
                  shape));
    }
  }

  private void rectangle(String style, long from, long to, int y, int height) {
    double begin = x(from);
    svg.append(
        "<rect class=\"%s\" x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\"/>"
            .formatted(style, number(begin), y, number(Math.max(1.2, x(to) - begin)), height));
  }

  private double x(long time) {
    long within = Math.min(timeline.to(), Math.max(timeline.from(), time));
    return LEFT + (within - timeline.from()) * scale;
  }

  private int y(String lock, int worker) {
    int group = timeline.locks().indexOf(lock);
    int lane = group * timeline.workers().size() + timeline.workers().indexOf(worker);
    return TOP + lane * LANE + group * GAP;
  }

  private static String text(Fault fault) {
    return "%s, %s to %s, at %s%n%s: %s"
        .formatted(
            name(fault),
            Timeline.seconds(fault.from()),
            Timeline.seconds(fault.to()),
            fault.at(),
            fault.proved() ? "proved" : "NOT proved",
            fault.proof());
  }

  private static String name(Fault fault) {
    return fault.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static String title(String text) {
    return "<title>" + Html.escape(text) + "</title>";
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
