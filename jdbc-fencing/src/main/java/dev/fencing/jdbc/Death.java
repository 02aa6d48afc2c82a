package dev.fencing.jdbc;

/** Why a handle is dead; each later call gets an exception of its own. */
interface Death {

  FencingException exception();

  /** Whether {@link FencedResource#renew()} may bring a live handle in its place. */
  default boolean renewable() {
    return false;
  }

  /** A COMMIT got no answer. */
  record Unknown(String message, Throwable cause) implements Death {
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
