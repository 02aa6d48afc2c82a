package dev.fencing.examples.comparison.history;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.SequenceWriter;
import com.fasterxml.jackson.dataformat.csv.CsvGenerator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Records of one type in a CSV file: the names of their components, then a line for each.
 *
 * @param <T> the record
 */
public final class CsvFile<T> {

  private static final CsvMapper MAPPER =
      CsvMapper.builder()
          .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .disable(CsvGenerator.Feature.ALWAYS_QUOTE_EMPTY_STRINGS)
          .enable(CsvGenerator.Feature.STRICT_CHECK_FOR_QUOTING)
          .enable(CsvParser.Feature.FAIL_ON_MISSING_COLUMNS)
          .enable(CsvParser.Feature.FAIL_ON_MISSING_HEADER_COLUMNS)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .build();

  private final Path path;
  private final Class<T> type;

  private CsvFile(Path path, Class<T> type) {
    this.path = path;
    this.type = type;
  }

  /** Returns the file of these records; it need not exist yet. */
  public static <T extends Record> CsvFile<T> of(Path path, Class<T> type) {
    return new CsvFile<>(path, type);
  }

  private CsvSchema schema() {
    return MAPPER.schemaFor(type).withHeader();
  }

  /**
   * Writes the whole file.
   *
   * @throws IOException if it cannot be written
   */
  public void write(List<T> records) throws IOException {
    try (Appender<T> appender = create()) {
      for (T each : records) {
        appender.append(each);
      }
    }
  }

  /**
   * Begins the file anew, for records that come one by one. Each is in the file when {@link
   * Appender#append} returns, so that a writer that is killed loses none of them.
   *
   * @throws IOException if it cannot be written
   */
  public Appender<T> create() throws IOException {
    CsvSchema schema = schema();
    Files.writeString(path, String.join(",", schema.getColumnNames()) + "\n");
    return new Appender<>(
        MAPPER
            .writerFor(type)
            .with(schema.withoutHeader())
            .writeValues(Files.newBufferedWriter(path, StandardOpenOption.APPEND)));
  }

  /**
   * Reads what was written. A last line without its end is dropped: its writer was killed.
   *
   * @throws IOException if it cannot be read, or is not a file of these records
   */
  public List<T> read() throws IOException {
    String text = Files.readString(path, StandardCharsets.UTF_8);
    text = text.substring(0, text.lastIndexOf('\n') + 1);
    try (MappingIterator<T> records =
        MAPPER.readerFor(type).with(schema().withColumnReordering(true)).readValues(text)) {
      return records.readAll();
    } catch (IOException e) {
      throw new IOException(
          "%s is not a file of %s records: %s"
              .formatted(path, type.getSimpleName(), e.getMessage()),
          e);
    }
  }

  /**
   * Takes records one by one.
   *
   * @param <T> the record
   */
  public static final class Appender<T> implements Closeable {

    private final SequenceWriter writer;

    private Appender(SequenceWriter writer) {
      this.writer = writer;
    }

    /**
     * Adds a line, and hands it to the operating system.
     *
     * @throws IOException if it cannot be written
     */
    public void append(T each) throws IOException {
      writer.write(each);
      writer.flush();
    }

    @Override
    public void close() throws IOException {
      writer.close();
    }
  }
}
