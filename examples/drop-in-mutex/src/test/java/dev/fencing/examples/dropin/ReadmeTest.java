package dev.fencing.examples.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The diffs that the README shows are those of the sources. A failure prints what to put there. */
class ReadmeTest {

  private static final Path SOURCES = Path.of("src/main/java/dev/fencing/examples/dropin");
  private static final int CONTEXT = 3;

  @Test
  void theFirstDiffIsTheWholeSwitch() throws IOException {
    assertThat(shown().get(0)).isEqualTo(diff("before", "after"));
  }

  @Test
  void theSecondDiffChangesTheMutexAlone() throws IOException {
    assertThat(shown().get(1)).isEqualTo(diff("before", "between"));
  }

  private static List<String> shown() throws IOException {
    List<String> blocks =
        Pattern.compile("```diff\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("README.md")))
            .results()
            .map(block -> block.group(1))
            .toList();
    assertThat(blocks).hasSize(2);
    return blocks;
  }

  private static String diff(String from, String to) throws IOException {
    String name = "Warehouse.java";
    List<String> old = Files.readAllLines(SOURCES.resolve(from).resolve(name));
    List<String> revised = Files.readAllLines(SOURCES.resolve(to).resolve(name));
    List<String> lines =
        UnifiedDiffUtils.generateUnifiedDiff(
            from + "/" + name, to + "/" + name, old, DiffUtils.diff(old, revised), CONTEXT);
    return String.join("\n", lines) + "\n";
  }
}
