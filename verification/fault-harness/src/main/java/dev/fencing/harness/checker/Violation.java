package dev.fencing.harness.checker;

import java.util.List;

/**
 * Something that must not be.
 *
 * @param text what happened, with names and numbers
 * @param indices the {@code :index} of the lines of the history that prove it
 */
public record Violation(String text, List<Integer> indices) {

  @Override
  public String toString() {
    if (indices.isEmpty()) {
      return text;
    }
    return text
        + " [:index "
        + String.join(", ", indices.stream().map(String::valueOf).toList())
        + "]";
  }
}
