package dev.fencing.jdbc;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Why a handle is dead; each later call gets an exception of its own. */
interface Death {

  FencingException exception();

  /** Whether {@link FencedResource#renew()} may bring a live handle in its place. */
  default boolean renewable() {
    return false;
  }

  /** A check found {@code stored} in place of what the handle had raised. */
  static Death refused(String resource, FenceRow raised, @Nullable FenceRow stored) {
    return () -> Objects.requireNonNull(Verdict.ofCheck(resource, raised, stored));
  }

  /** A COMMIT got no answer. */
  record Unknown(String message, Throwable cause) implements Death {

    static Unknown of(FencedResource handle, Throwable cause) {
      return new Unknown(
          "COMMIT of a transaction on %s was sent and its answer never came (%s): it may be durable, or land later, or never. This handle is dead. Call renew(), or acquire the lock anew, and read before you repeat anything"
              .formatted(handle, cause),
          cause);
    }

    @Override
    public UnknownOutcomeException exception() {
      return new UnknownOutcomeException(message, cause);
    }

    @Override
    public boolean renewable() {
      return true;
    }
  }
}
