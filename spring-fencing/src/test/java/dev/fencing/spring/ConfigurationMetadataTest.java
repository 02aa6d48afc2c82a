package dev.fencing.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What an editor shows of the properties. */
class ConfigurationMetadataTest {

  @Test
  void everyPropertyIsDescribed() throws IOException {
    StringBuilder metadata = new StringBuilder(); // Boot has files of that name, too.
    for (URL file :
        Collections.list(
            FencingProperties.class
                .getClassLoader()
                .getResources("META-INF/spring-configuration-metadata.json"))) {
      try (InputStream in = file.openStream()) {
        metadata.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
      }
    }
    List<String> described = new ArrayList<>();
    Matcher property =
        Pattern.compile("\"name\": \"(fencing\\.[a-z.-]+)\",[^}]*?\"description\": \"[A-Z]")
            .matcher(metadata);
    while (property.find()) {
      described.add(property.group(1));
    }
    assertThat(described)
        .contains(
            "fencing.root",
            "fencing.wait-time",
            "fencing.curator.connect-string",
            "fencing.curator.lazy",
            "fencing.jdbc.schema",
            "fencing.jdbc.generation",
            "fencing.web.enabled")
        .hasSizeGreaterThanOrEqualTo(19);
  }
}
