package dev.fencing.examples.comparison.server;

/** A server did not start, or ended on its own; its message is for people. */
public final class ServerException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public ServerException(String message) {
    super(message);
  }

  ServerException(String message, Throwable cause) {
    super(message, cause);
  }
}
