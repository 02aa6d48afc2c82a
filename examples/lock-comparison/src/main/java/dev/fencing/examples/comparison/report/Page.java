package dev.fencing.examples.comparison.report;

import static java.util.Map.entry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The report as one HTML file that needs no other: tables, and charts drawn when it is opened. */
final class Page {

  /** As the build fetches it; it is copied into the page. */
  private static final String CHART_LIBRARY =
      "/META-INF/resources/webjars/echarts/5.3.1/dist/echarts.min.js";

  private static final Pattern PLACE = Pattern.compile("@([A-Z]+)@");

  private Page() {}

  static String of(Report report) throws IOException {
    List<Story> stories = Stories.of(report.arms());
    Map<String, String> parts =
        Map.ofEntries(
            entry("STYLE", resource("page.css")),
            entry("CIRCUMSTANCES", circumstances(report.circumstances())),
            entry("VERDICT", verdict(report)),
            entry("STORIES", stories(stories)),
            entry("DAMAGE", table(Tables.damage(report.arms()))),
            entry("SPEED", table(Tables.speed(report.arms()))),
            entry("PROFILE", table(Tables.profile(report.arms()))),
            entry("PROMISES", promises(report.arms())),
            entry("NOTES", notes(report)),
            entry("DATA", data(report.arms(), stories)),
            entry("CHARTS", resource("charts.js")),
            entry("LIBRARY", resource(CHART_LIBRARY)));
    // All in one go: what is put in is never looked through for places.
    return PLACE
        .matcher(resource("page.html"))
        .replaceAll(place -> Matcher.quoteReplacement(parts.get(place.group(1))));
  }

  private static String resource(String name) throws IOException {
    try (InputStream stream = Page.class.getResourceAsStream(name)) {
      if (stream == null) {
        throw new IOException(name + " is not on the class path");
      }
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String circumstances(Map<String, String> facts) {
    StringBuilder html = new StringBuilder();
    facts.forEach(
        (name, value) ->
            html.append("<span><b>")
                .append(escape(name))
                .append("</b> ")
                .append(escape(value))
                .append("</span>\n"));
    return html.toString();
  }

  private static String verdict(Report report) {
    List<String> problems = report.problems();
    if (problems.isEmpty()) {
      return "<p class=\"verdict right\">No fence let a stale write through, and the histories of"
          + " the clients agree with what the database logged.</p>\n";
    }
    return "<div class=\"verdict wrong\">This must not be:" + list(problems) + "</div>\n";
  }

  private static String notes(Report report) {
    return section("Beside the published figures", report.differences())
        + section("What a fence costs", report.goals())
        + section("No fence and nothing lost", report.nothingLost())
        + section(
            "Skipped",
            report.skipped().entrySet().stream()
                .map(line -> line.getKey() + ": " + line.getValue())
                .toList());
  }

  private static String section(String title, List<String> lines) {
    return lines.isEmpty() ? "" : "<h2>%s</h2>%n%s".formatted(escape(title), list(lines));
  }

  private static String list(List<String> lines) {
    StringBuilder html = new StringBuilder("<ul>\n");
    lines.forEach(line -> html.append("<li>").append(escape(line)).append("</li>\n"));
    return html.append("</ul>\n").toString();
  }

  private static String promises(List<Figures> arms) {
    StringBuilder html = new StringBuilder("<dl>\n");
    for (Figures arm : arms) {
      html.append("<dt>").append(escape(arm.arm()));
      html.append(" <span class=\"soft\">").append(arm.result().protection().words());
      long lease = arm.result().leaseMillis();
      html.append(lease == 0 ? "" : ", lease " + escape(Numbers.lease(lease)));
      html.append("</span></dt><dd>").append(escape(arm.result().promise())).append("</dd>\n");
    }
    return html.append("</dl>\n").toString();
  }

  private static String table(Table table) {
    StringBuilder html = new StringBuilder("<div class=\"scroll\"><table><thead><tr>");
    table.header().forEach(name -> cell(html, "th", "", name));
    html.append("</tr></thead>\n<tbody>\n");
    for (List<String> row : table.rows()) {
      html.append("<tr>");
      row.forEach(each -> cell(html, "td", "", each));
      html.append("</tr>\n");
    }
    return html.append("</tbody></table></div>\n").toString();
  }

  private static void cell(StringBuilder html, String tag, String style, String text) {
    html.append('<').append(tag).append(style.isEmpty() ? "" : " class=\"" + style + "\"");
    html.append('>').append(escape(text).replace("\n", "<br>"));
    html.append("</").append(tag).append('>');
  }

  private static String stories(List<Story> stories) {
    StringBuilder html = new StringBuilder();
    for (int i = 0; i < stories.size(); i++) {
      Story story = stories.get(i);
      html.append("<section class=\"story\"><h2>").append(escape(story.title())).append("</h2>\n");
      html.append("<div class=\"chart\" id=\"story").append(i).append("\"></div>\n");
      html.append("<div class=\"scroll\"><table class=\"steps\"><thead><tr><th>ms</th>");
      html.append("<th>client 1</th><th>database</th><th>client 2</th></tr></thead>\n<tbody>\n");
      for (Story.Step step : story.steps()) {
        boolean stopped = step.millis() >= story.stopsAt() && step.millis() < story.goesOnAt();
        String kind = step.kind().name().toLowerCase(Locale.ROOT);
        html.append("<tr class=\"").append(kind).append("\">");
        cell(html, "td", "time", Numbers.number(step.millis()));
        cell(html, "td", stopped ? "stop" : "", step.first());
        cell(html, "td", "database", step.database());
        cell(html, "td", "", step.second());
        html.append("</tr>\n");
      }
      html.append("</tbody></table></div>\n<p>").append(escape(story.moral()));
      html.append(
          "</p>\n<p class=\"soft\">The clients noted the times. Of the stop only the length");
      html.append(" is known; it is shown in the middle of where it fits.</p></section>\n");
    }
    return html.toString();
  }

  private static String data(List<Figures> arms, List<Story> stories)
      throws JsonProcessingException {
    Data data = new Data(arms.stream().map(Page::bar).toList(), stories);
    // A "</script>" within a text would end the element that the text is in.
    return JsonMapper.builder().build().writeValueAsString(data).replace("<", "\\u003c");
  }

  private static Data.Arm bar(Figures arm) {
    Published published = arm.result().published();
    return new Data.Arm(
        arm.arm(),
        arm.result().protection().words(),
        arm.result().protection().style(),
        arm.landed() == 0 ? null : (Double) arm.lostPercent(),
        arm.lost(),
        arm.landed(),
        published == null ? null : (Double) published.lostPercent(),
        published == null ? null : (Double) published.p99Millis(),
        orNull(arm.uncontended()),
        orNull(arm.delayed()),
        orNull(arm.contended()),
        orNull(arm.waited()));
  }

  private static @Nullable Quantiles orNull(Quantiles quantiles) {
    return quantiles.count() == 0 ? null : quantiles;
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /** What the charts draw. */
  private record Data(List<Arm> arms, List<Story> stories) {

    private record Arm(
        String name,
        String protection,
        String style,
        @Nullable Double lostPercent,
        int lost,
        int landed,
        @Nullable Double publishedLost,
        @Nullable Double publishedP99,
        @Nullable Quantiles uncontended,
        @Nullable Quantiles delayed,
        @Nullable Quantiles contended,
        @Nullable Quantiles waited) {}
  }
}
