package dev.fencing.curator;

/**
 * A lock was not granted, because on its path the order of grants is no longer the order of tokens.
 *
 * <p>The path has used up ZooKeeper's sequence counter, a signed int. Nothing is held and no node
 * is left. Stop all contenders and delete the empty lock path, which starts the counter anew;
 * tokens go on rising.
 */
public final class TokenOrderException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  TokenOrderException(String message) {
    super(message);
  }
}
