package dev.fencing.harness.run;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;

/** What takes part in a run, as the build knows it. */
final class Versions {

  private static final String FILE = "versions.properties";

  private Versions() {}

  static String today() {
    return LocalDate.now(ZoneId.systemDefault()).toString();
  }

  static Map<String, String> all() {
    Properties properties = new Properties();
    try (InputStream in = Versions.class.getResourceAsStream(FILE)) {
      if (in != null) {
        properties.load(in);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, String> versions = new LinkedHashMap<>();
    versions.put("Java", Runtime.version().toString());
    for (String name : new String[] {"ZooKeeper", "Curator", "PostgreSQL", "fencing"}) {
      String version = properties.getProperty(name);
      if (version != null) {
        versions.put(name, version);
      }
    }
    versions.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
    return versions;
  }
}
