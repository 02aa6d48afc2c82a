package dev.fencing.harness.stage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The wall clocks of the workers, which can be set where libfaketime is installed. */
public final class Clocks {

  private static final List<Path> PLACES = List.of(Path.of("/usr/lib"), Path.of("/usr/lib64"));
  private static final String LIBRARY = "faketime/libfaketimeMT.so.1";

  private final Path directory;
  private final Optional<Path> library;

  Clocks(Path directory) {
    this.directory = directory;
    this.library = library();
  }

  /** Whether they can be set on this machine. */
  public static boolean canBeSet() {
    return library().isPresent();
  }

  private static Optional<Path> library() {
    String named = System.getProperty("fencing.harness.libfaketime");
    if (named != null) {
      return Optional.of(Path.of(named));
    }
    return PLACES.stream()
        .filter(Files::isDirectory)
        .flatMap(Clocks::list)
        .map(path -> path.resolve(LIBRARY))
        .filter(Files::exists)
        .findFirst();
  }

  /** Debian has a directory for each architecture; elsewhere it is right there. */
  private static Stream<Path> list(Path place) {
    try (Stream<Path> below = Files.list(place)) {
      return Stream.concat(Stream.of(place), below.filter(Files::isDirectory).toList().stream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What a worker's environment needs; the monotonic clock is left alone. */
  Map<String, String> environment(int worker) throws IOException {
    if (library.isEmpty()) {
      return Map.of();
    }
    set(worker, 0);
    return Map.of(
        "LD_PRELOAD", library.get().toString(),
        "FAKETIME_TIMESTAMP_FILE", file(worker).toString(),
        "FAKETIME_CACHE_DURATION", "1",
        "FAKETIME_DONT_FAKE_MONOTONIC", "1",
        "FAKETIME_FORCE_MONOTONIC_FIX", "0"); // With it, a timed wait does not wait.
  }

  /** Sets a worker's clock that many seconds ahead, or behind; it notices within a second. */
  public void set(int worker, int seconds) throws IOException {
    Files.writeString(file(worker), "%+d%n".formatted(seconds));
  }

  private Path file(int worker) {
    return directory.resolve("clock-" + worker);
  }
}
