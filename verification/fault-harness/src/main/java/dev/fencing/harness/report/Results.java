package dev.fencing.harness.report;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** RESULTS.md: one section a profile, each as old as the last run of it. */
final class Results {

  private static final List<String> ORDER = List.of("release", "long", "short");

  private static final Pattern SECTION =
      Pattern.compile("<!-- profile (\\S+) -->\\n(.*?)<!-- end -->", Pattern.DOTALL);

  private static final String HEAD =
      """
      # Results of the fault harness

      Written by the program; what is run and what the columns mean says
      [the harness itself](fault-harness/README.md). A lost update is one that another write overwrote
      without having seen it. An episode is a pair of workers that both believe to hold a lock; a frozen
      holder makes many at once, so what is lost is related to the holders that were overtaken: with none
      lost in n of these, fewer than 3,000 / n in 1,000 are likely (95 %).

      """;

  private Results() {}

  /** Returns the file with one section put in or replaced. */
  static String with(String before, String profile, String section) {
    Map<String, String> sections =
        new TreeMap<>(Comparator.comparingInt(Results::place).thenComparing(name -> name));
    Matcher matcher = SECTION.matcher(before);
    while (matcher.find()) {
      sections.put(matcher.group(1), matcher.group(2));
    }
    sections.put(profile, section);
    StringBuilder text = new StringBuilder(HEAD);
    sections.forEach(
        (name, content) ->
            text.append("<!-- profile ")
                .append(name)
                .append(" -->\n")
                .append(content)
                .append("<!-- end -->\n\n"));
    return text.toString().stripTrailing() + "\n";
  }

  private static int place(String profile) {
    int place = ORDER.indexOf(profile);
    return place < 0 ? ORDER.size() : place;
  }
}
