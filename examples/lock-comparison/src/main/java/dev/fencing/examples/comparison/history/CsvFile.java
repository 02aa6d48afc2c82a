package dev.fencing.examples.comparison.history;

import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.SequenceWriter;
import com.fasterxml.jackson.dataformat.csv.CsvGenerator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Records of one type in a CSV file: the names of their components, then a line for each. */
public final class CsvFile {

  private static final CsvMapper MAPPER =
      CsvMapper.builder()
          .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .disable(CsvGenerator.Feature.ALWAYS_QUOTE_EMPTY_STRINGS)
          .enable(CsvGenerator.Feature.STRICT_CHECK_FOR_QUOTING)
          .build();

  private CsvFile() {}

  /**
   * Writes the file, over what is there.
   *
   * @throws IOException if it cannot be written; it names the file
   */
  public static <T extends Record> void write(Path path, Class<T> type, List<T> records)
      throws IOException {
    CsvSchema schema = MAPPER.schemaFor(type);
    try (Writer file = Files.newBufferedWriter(path)) {
      // By itself the mapper would leave it out where no record follows.
      file.write(String.join(",", schema.getColumnNames()) + "\n");
      try (SequenceWriter lines = MAPPER.writerFor(type).with(schema).writeValues(file)) {
        lines.writeAll(records);
      }
    } catch (IOException e) {
      throw new IOException("%s cannot be written: %s".formatted(path, e), e);
    }
  }
}
