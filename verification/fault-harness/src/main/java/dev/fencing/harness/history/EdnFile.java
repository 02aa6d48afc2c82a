package dev.fencing.harness.history;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A file with one map a line, as it was read.
 *
 * @param torn 1 if its last line was cut off in the middle, and dropped
 */
record EdnFile<T>(List<T> lines, int torn) {

  /**
   * Reads a file whose writer may have been killed: a last line without its end is dropped.
   *
   * @throws IOException if it cannot be read, or another line is damaged; the message has its
   *     number
   */
  static <T> EdnFile<T> read(Path file, Function<Fields, T> type) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    List<T> lines = new ArrayList<>();
    int start = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == '\n') {
        String line = new String(bytes, start, i - start, StandardCharsets.UTF_8);
        start = i + 1;
        try {
          lines.add(type.apply(new Fields(Edn.map(line))));
        } catch (IllegalArgumentException | ArithmeticException e) {
          throw new IOException(
              "%s, line %d is damaged: %s".formatted(file, lines.size() + 1, e.getMessage()), e);
        }
      }
    }
    return new EdnFile<>(lines, start < bytes.length ? 1 : 0);
  }
}
