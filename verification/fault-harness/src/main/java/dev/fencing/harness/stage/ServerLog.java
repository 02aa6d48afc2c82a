package dev.fencing.harness.stage;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** What a server's log has said since this was made, of what is of interest. Thread-safe. */
public final class ServerLog {

  private final Path file;
  private final List<String> interest;
  private final List<String> lines = new ArrayList<>();
  private long position;

  /**
   * @param interest texts of which a line must have one to be kept
   */
  ServerLog(Path file, String... interest) {
    this.file = file;
    this.interest = List.of(interest);
    this.position = file.toFile().length();
  }

  /** Whether a line says so. */
  public synchronized boolean says(Predicate<String> what) throws IOException {
    read();
    return lines.stream().anyMatch(what);
  }

  /** How many lines say so. */
  public synchronized long count(Predicate<String> what) throws IOException {
    read();
    return lines.stream().filter(what).count();
  }

  private void read() throws IOException {
    if (!Files.exists(file)) {
      return;
    }
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      if (in.length() < position) {
        position = 0; // A server that was started again has begun a new one.
      }
      in.seek(position);
      byte[] bytes = new byte[(int) Math.min(in.length() - position, 16 << 20)];
      in.readFully(bytes);
      int end = bytes.length;
      while (end > 0 && bytes[end - 1] != '\n') {
        end--;
      }
      new String(bytes, 0, end, StandardCharsets.UTF_8)
          .lines()
          .filter(line -> interest.stream().anyMatch(line::contains))
          .forEach(lines::add);
      position += end;
    }
  }
}
