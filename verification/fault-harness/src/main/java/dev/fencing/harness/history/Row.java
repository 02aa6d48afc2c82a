package dev.fencing.harness.history;

import org.jspecify.annotations.Nullable;

/**
 * A guarded row as somebody read it; in EDN {@code {:ver n :value v}}.
 *
 * @param ver its version: 0 before the first write, and one more with each
 * @param value a number, or a list of numbers
 */
public record Row(long ver, @Nullable Object value) {}
