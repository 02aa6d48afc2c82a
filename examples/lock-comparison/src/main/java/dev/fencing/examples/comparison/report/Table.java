package dev.fencing.examples.comparison.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows of text under a header; all but the first column are numbers.
 *
 * @param header a line break within a name is one in the header
 */
record Table(List<String> header, List<List<String>> rows) {

  static Table withHeader(String... header) {
    return new Table(List.of(header), new ArrayList<>());
  }

  void add(String... cells) {
    if (cells.length != header.size()) {
      throw new IllegalArgumentException(cells.length + " cells under " + header);
    }
    rows.add(List.of(cells));
  }

  String text() {
    int height = header.stream().mapToInt(name -> (int) name.lines().count()).max().orElse(1);
    List<List<String>> lines = new ArrayList<>();
    for (int i = 0; i < height; i++) {
      int line = i;
      lines.add(header.stream().map(name -> headerLine(name, line, height)).toList());
    }
    lines.addAll(rows);
    int[] widths = new int[header.size()];
    for (List<String> line : lines) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> line : lines) {
      StringBuilder padded = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String padding = " ".repeat(widths[i] - line.get(i).length());
        padded.append(i == 0 ? line.get(i) + padding : "  " + padding + line.get(i));
      }
      text.append(padded.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  private static String headerLine(String name, int line, int height) {
    List<String> parts = name.lines().toList();
    int own = line - (height - parts.size());
    return own < 0 ? "" : parts.get(own);
  }
}
