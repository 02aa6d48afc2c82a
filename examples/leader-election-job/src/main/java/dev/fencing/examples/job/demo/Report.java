package dev.fencing.examples.job.demo;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * The picture of a run: one HTML page without anything from outside.
 *
 * <p>The page is a template with a script that draws; only the data is filled in here.
 *
 * @param fenced whether the writes were fenced
 * @param accounts number of accounts
 * @param batchSize most accounts in one write
 * @param victim the account that the story is about
 * @param workers names, in order
 * @param holds who led when
 * @param events the turns of the story
 * @param writes the batches that were committed
 * @param audit the ledger at the end
 */
record Report(
    boolean fenced,
    int accounts,
    int batchSize,
    Victim victim,
    List<String> workers,
    List<Timeline.Hold> holds,
    List<Timeline.Event> events,
    List<Timeline.Write> writes,
    Audit audit) {

  private static final String TEMPLATE = "timeline.html";
  private static final String PLACE = "\"the data goes here\"";

  /** Writes the page, and the directories that it lies in. */
  void write(Path file) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
    Files.writeString(file, html());
  }

  private String html() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(Report.class.getResourceAsStream(TEMPLATE), TEMPLATE)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace(PLACE, json());
    }
  }

  private String json() throws IOException {
    // A "</script>" in the data would end the element that holds it.
    return new JsonMapper().writeValueAsString(this).replace("<", "\\u003c");
  }
}
