package dev.fencing.benchmarks;

import java.util.Map;
import java.util.TreeMap;

/**
 * What a server has counted since its start and holds right now.
 *
 * @param requests how many requests clients have sent, by kind
 */
record ServerCounts(Map<String, Long> requests, int watches, int znodes, int ephemerals) {

  /** All requests, of whatever kind. */
  long total() {
    return requests.values().stream().mapToLong(Long::longValue).sum();
  }

  /** What has come in since {@code earlier}, without the kinds of which nothing has. */
  Map<String, Long> requestsSince(ServerCounts earlier) {
    Map<String, Long> since = new TreeMap<>();
    requests.forEach(
        (kind, count) -> {
          long more = count - earlier.requests.getOrDefault(kind, 0L);
          if (more != 0) {
            since.put(kind, more);
          }
        });
    return since;
  }

  /** One line, which {@link #parse} reads. */
  String toLine() {
    StringBuilder line = new StringBuilder();
    line.append(watches).append(' ').append(znodes).append(' ').append(ephemerals);
    requests.forEach((kind, count) -> line.append(' ').append(kind).append('=').append(count));
    return line.toString();
  }

  static ServerCounts parse(String line) {
    String[] words = line.split(" ", -1);
    Map<String, Long> requests = new TreeMap<>();
    for (int i = 3; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      requests.put(words[i].substring(0, equals), Long.parseLong(words[i].substring(equals + 1)));
    }
    return new ServerCounts(
        requests,
        Integer.parseInt(words[0]),
        Integer.parseInt(words[1]),
        Integer.parseInt(words[2]));
  }
}
