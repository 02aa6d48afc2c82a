package dev.fencing.harness.report;

import dev.fencing.harness.checker.Finding;
import dev.fencing.harness.checker.Violation;
import java.util.List;

/** The report as one HTML file that needs no other. */
final class Page {

  private static final String STYLE =
      """
      :root { color-scheme: light dark; --back: #ffffff; --text: #1b1f24; --soft: #57606a;
        --line: #d0d7de; --lane: #f3f5f7; --hold: #0072b2; --late: #e69f00; --stop: #6e7781;
        --cut: #a3518a; --ok: #003f63; --bad: #d55e00; --band: #cc79a7; --good: #00664b; }
      @media (prefers-color-scheme: dark) { :root { --back: #0d1117; --text: #e6edf3;
        --soft: #9da7b3; --line: #30363d; --lane: #161b22; --hold: #3d9be0; --late: #e69f00;
        --stop: #9da7b3; --cut: #d88fbd; --ok: #ffffff; --bad: #ff7b39; --band: #cc79a7;
        --good: #3fb98f; } }
      body { background: var(--back); color: var(--text); margin: 24px auto; padding: 0 20px;
        max-width: 1500px; font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }
      h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 19px; margin: 34px 0 6px; }
      h3 { font-size: 16px; margin: 22px 0 6px; }
      p { margin: 4px 0; } .soft { color: var(--soft); }
      .scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
      table { border-collapse: collapse; font-size: 13px; width: 100%; }
      th, td { padding: 4px 10px; border-bottom: 1px solid var(--line); text-align: left;
        white-space: nowrap; } tbody tr:last-child td { border-bottom: 0; }
      th { background: var(--lane); } .number { text-align: right;
        font-variant-numeric: tabular-nums; }
      .verdict { font-weight: 600; border-left: 6px solid; padding: 6px 12px; margin: 12px 0; }
      .right { border-color: var(--good); } .wrong { border-color: var(--bad); }
      details { margin: 8px 0; } summary { cursor: pointer; font-weight: 600; }
      li.fails { color: var(--bad); font-weight: 600; } li li { font-weight: 400;
        color: var(--text); } ul { margin: 4px 0; padding-left: 22px; }
      svg text { fill: var(--text); font: 11px system-ui, "DejaVu Sans", sans-serif; }
      svg text.axis { fill: var(--soft); text-anchor: middle; } svg text.worker {
        fill: var(--soft); text-anchor: end; } svg text.lock { font-weight: 600; }
      .grid { stroke: var(--line); } .lane { fill: var(--lane); } .hold { fill: var(--hold);
        fill-opacity: .55; stroke: var(--hold); stroke-width: .8; }
      .overtaken { fill: url(#late); stroke: var(--late); stroke-width: .8; }
      .paused { fill: url(#stop); stroke: var(--stop); stroke-width: .6; }
      .cut { fill: var(--cut); } .band { fill: var(--band); fill-opacity: .16;
        stroke: var(--band); stroke-dasharray: 3 3; }
      .raised path { stroke: var(--text); stroke-width: 1.6; }
      .accepted path { fill: var(--ok); stroke: var(--back); stroke-width: .8; }
      .refused path { stroke: var(--bad); stroke-width: 2.4; fill: none; }
      .unknown path { fill: var(--back); stroke: var(--text); stroke-width: 1.6; }
      .killed path { stroke: var(--bad); stroke-width: 2.4; }
      .violation path { fill: none; stroke: var(--bad); stroke-width: 3; }
      .time { display: flex; } .time > svg { flex: none; } .time > .scroll { flex: 1;
        min-width: 0; }
      .legend { display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 13px; margin: 8px 0; }
      .legend svg { vertical-align: -4px; margin-right: 5px; }
      """;

  /** Colour and hatching, shared by all drawings of the page. */
  private static final String PATTERNS =
      """
      <svg width="0" height="0" style="position:absolute"><defs>
      <pattern id="late" width="5" height="5" patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"><rect width="5" height="5" fill="var(--late)"
        fill-opacity=".35"/><rect width="2.2" height="5" fill="var(--late)"/></pattern>
      <pattern id="stop" width="4" height="4" patternUnits="userSpaceOnUse"
        patternTransform="rotate(-45)"><rect width="4" height="4" fill="var(--lane)"/>
        <rect width="2" height="4" fill="var(--stop)"/></pattern>
      </defs></svg>
      """;

  private static final String LEGEND =
      """
      <div class="legend">
      <span><svg width="26" height="16"><rect class="hold" x="1" y="3" width="24" height="10"/></svg>believes to hold the lock</span>
      <span><svg width="26" height="16"><rect class="overtaken" x="1" y="3" width="24" height="10"/></svg>still believes it, but another was granted a larger token</span>
      <span><svg width="26" height="16"><rect class="paused" x="1" y="6" width="24" height="4"/></svg>process stopped</span>
      <span><svg width="26" height="16"><rect class="cut" x="1" y="6" width="24" height="4"/></svg>another fault of this worker</span>
      <span><svg width="26" height="16"><rect class="band" x="1" y="1" width="24" height="14"/></svg>a fault that hits all</span>
      <span class="raised"><svg width="12" height="16"><path d="M6 1V15"/></svg>fence raised</span>
      <span class="accepted"><svg width="12" height="16"><path d="M6 4.4A3.6 3.6 0 1 1 6 11.6A3.6 3.6 0 1 1 6 4.4Z"/></svg>write accepted</span>
      <span class="refused"><svg width="12" height="16"><path d="M2 4L10 12M10 4L2 12"/></svg>refused as stale</span>
      <span class="unknown"><svg width="14" height="16"><path d="M7 3L12 8L7 13L2 8Z"/></svg>outcome unknown</span>
      <span class="killed"><svg width="12" height="16"><path d="M3 1V15M9 1V15"/></svg>killed</span>
      <span class="violation"><svg width="20" height="20"><path d="M10 2A8 8 0 1 1 10 18A8 8 0 1 1 10 2Z"/></svg>what a check condemns</span>
      </div>
      """;

  private Page() {}

  static String of(Report report) {
    StringBuilder page = new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\"><head>");
    page.append("<meta charset=\"utf-8\"><title>Fault harness</title>\n<meta name=\"viewport\"");
    page.append(" content=\"width=device-width, initial-scale=1\">\n<style>\n").append(STYLE);
    page.append("</style></head><body>\n").append(PATTERNS).append("<h1>Fault harness</h1>\n");
    page.append("<p class=\"soft\">").append(Html.escape(report.circumstances())).append("</p>\n");
    page.append("<div class=\"verdict ").append(report.asItShould() ? "right" : "wrong");
    page.append("\">").append(Html.escape(report.conclusion())).append("</div>\n");
    List<Result> results = report.results();
    if (!results.isEmpty()) {
      page.append("<h2>").append(Html.escape(heading(report.shown()))).append("</h2>\n");
      timeline(page, report.shown());
    }
    report.tables().forEach(table -> page.append(table.html()));
    page.append("<h2>Each run</h2>\n");
    results.forEach(result -> run(page, result, result != report.shown()));
    return page.append("</body></html>\n").toString();
  }

  private static String heading(Result result) {
    return "%s, %s".formatted(result.arm(), result.workload());
  }

  private static void run(StringBuilder page, Result result, boolean withTimeline) {
    page.append("<details").append(result.asItShould() ? "" : " open").append("><summary>");
    page.append(Html.escape(heading(result) + ": " + Tables.verdict(result)));
    page.append("</summary>\n<ul>\n");
    for (String doubt : result.verdict().doubts()) {
      page.append("<li>V: ").append(Html.escape(doubt)).append("</li>\n");
    }
    result.verdict().findings().forEach(finding -> finding(page, finding));
    if (result.torn() > 0) {
      page.append("<li>").append(result.torn());
      page.append(" torn lines of killed writers were dropped</li>\n");
    }
    page.append("</ul>\n");
    if (withTimeline) {
      timeline(page, result);
    }
    page.append("</details>\n");
  }

  private static void finding(StringBuilder page, Finding finding) {
    page.append(finding.fails() ? "<li class=\"fails\">" : "<li>");
    page.append(Html.escape(finding.summary()));
    if (finding.fails()) {
      page.append("<ul>\n");
      for (Violation violation : finding.violations()) {
        page.append("<li>").append(Html.escape(violation.toString())).append("</li>\n");
      }
      page.append("</ul>");
    }
    page.append("</li>\n");
  }

  private static void timeline(StringBuilder page, Result result) {
    Timeline timeline = result.timeline();
    if (timeline.bars().isEmpty()) {
      page.append("<p class=\"soft\">No lock was held.</p>\n");
      return;
    }
    page.append("<p class=\"soft\">Seconds ");
    page.append(Timeline.seconds(timeline.from())).append(" to ");
    page.append(Timeline.seconds(timeline.to())).append(" of the run, ").append(timeline.why());
    page.append(". Point at anything to read what it is.</p>\n").append(LEGEND);
    page.append("<div class=\"time\">").append(Svg.of(timeline)).append("</div>\n");
  }
}
