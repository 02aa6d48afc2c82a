package dev.fencing.jdbc;

/**
 * The database has seen a newer holder of the resource than the one that presented its token.
 *
 * <p>Nothing of the refused transaction is durable. It is never retryable: a newer owner exists,
 * and the same token will be refused for ever. Stop the work, release the lock and acquire it
 * again; the new hold comes with a higher token. The handle that met it is dead.
 *
 * <p>The two tokens are equal when the same token was raised into another handle, or renewed; the
 * message says so.
 */
public final class StaleTokenException extends FencingException {

  private static final long serialVersionUID = 1L;

  private final String resource;
  private final long presentedGeneration;
  private final long presentedToken;
  private final long storedGeneration;
  private final long storedToken;

  StaleTokenException(String message, String resource, FenceRow presented, FenceRow stored) {
    super(message, null);
    this.resource = resource;
    this.presentedGeneration = presented.generation();
    this.presentedToken = presented.token();
    this.storedGeneration = stored.generation();
    this.storedToken = stored.token();
  }

  /** The fenced resource. */
  public String resource() {
    return resource;
  }

  /** The token that was refused. */
  public long presentedToken() {
    return presentedToken;
  }

  /** The token that the fence is at. */
  public long storedToken() {
    return storedToken;
  }

  /** The generation that the refused token belongs to. */
  public long presentedGeneration() {
    return presentedGeneration;
  }

  /** The generation that the fence is at; it is compared before the token. */
  public long storedGeneration() {
    return storedGeneration;
  }
}
