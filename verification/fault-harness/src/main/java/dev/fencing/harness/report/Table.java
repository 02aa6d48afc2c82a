package dev.fencing.harness.report;

import java.util.ArrayList;
import java.util.List;

/** Rows of text under a header; all but the first columns are numbers. */
final class Table {

  private final String title;
  private final int texts;
  private final List<String> header;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * @param texts how many columns, from the left, are text
   */
  Table(String title, int texts, String... header) {
    this.title = title;
    this.texts = texts;
    this.header = List.of(header);
  }

  void add(String... cells) {
    if (cells.length != header.size()) {
      throw new IllegalArgumentException(cells.length + " cells under " + header);
    }
    rows.add(List.of(cells));
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }

  String text() {
    int[] widths = new int[header.size()];
    List<List<String>> lines = new ArrayList<>();
    lines.add(header);
    lines.addAll(rows);
    for (List<String> line : lines) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder(title).append('\n');
    for (List<String> line : lines) {
      StringBuilder padded = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String padding = " ".repeat(widths[i] - line.get(i).length());
        padded.append(i < texts ? line.get(i) + padding : padding + line.get(i)).append("  ");
      }
      text.append(padded.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  String markdown() {
    StringBuilder text = new StringBuilder("### ").append(title).append("\n\n");
    text.append("| ").append(String.join(" | ", header)).append(" |\n|");
    for (int i = 0; i < header.size(); i++) {
      text.append(i < texts ? "---|" : "--:|");
    }
    text.append('\n');
    for (List<String> row : rows) {
      text.append("| ");
      text.append(String.join(" | ", row.stream().map(Table::inMarkdown).toList()));
      text.append(" |\n");
    }
    return text.toString();
  }

  private static String inMarkdown(String cell) {
    return cell.replace("|", "\\|").replace("<", "&lt;");
  }

  String html() {
    StringBuilder text = new StringBuilder("<h3>").append(Html.escape(title)).append("</h3>\n");
    text.append("<div class=\"scroll\"><table>\n<thead><tr>");
    for (int i = 0; i < header.size(); i++) {
      cell(text, "th", i, header.get(i));
    }
    text.append("</tr></thead>\n<tbody>\n");
    for (List<String> row : rows) {
      text.append("<tr>");
      for (int i = 0; i < row.size(); i++) {
        cell(text, "td", i, row.get(i));
      }
      text.append("</tr>\n");
    }
    return text.append("</tbody></table></div>\n").toString();
  }

  private void cell(StringBuilder text, String tag, int column, String content) {
    text.append('<').append(tag).append(column < texts ? "" : " class=\"number\"").append('>');
    text.append(Html.escape(content)).append("</").append(tag).append('>');
  }
}
