package dev.fencing.examples.bank.demo;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A transfer as a client asks for it.
 *
 * @param token the header of the balance that it was decided on, or null
 */
record Order(UUID id, long from, long to, long cents, @Nullable String token) {

  static Order of(long from, long to, long cents) {
    return new Order(UUID.randomUUID(), from, to, cents, null);
  }
}
