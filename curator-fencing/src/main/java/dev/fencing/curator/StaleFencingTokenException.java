package dev.fencing.curator;

/**
 * A {@link FencedRegister} has refused a request, because of the token that came with it.
 *
 * <p>Either a newer holder of the lock has been seen, or the register takes one write for each
 * token and this one has had its own ({@link #presentedToken()} and {@link #storedToken()} are
 * equal then). The guarded work was not run and the register is unchanged. Never retry with this
 * token, it is refused for ever: the holder has to stop, release the lock and acquire it again.
 *
 * <p>A service answers with it, in HTTP for example by 412 Precondition Failed.
 */
public final class StaleFencingTokenException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  private final String lockPath;
  private final long presentedToken;
  private final long storedToken;

  StaleFencingTokenException(FencingToken presented, long storedToken) {
    this.lockPath = presented.lockPath();
    this.presentedToken = presented.token();
    this.storedToken = storedToken;
  }

  /** Made when somebody reads it: an overtaken holder may send many requests. */
  @Override
  public String getMessage() {
    return presentedToken == storedToken
        ? "token %d of the lock %s has had its one write; acquire the lock again for another one"
            .formatted(presentedToken, lockPath)
        : ("token %d of the lock %s is stale: a newer holder has come with token %d; nothing was"
                + " done. Stop the work of the old holder, release its lock and acquire it again")
            .formatted(presentedToken, lockPath, storedToken);
  }

  /** Returns the path of the lock that guards what the request was for. */
  public String lockPath() {
    return lockPath;
  }

  /** Returns the token that was refused. */
  public long presentedToken() {
    return presentedToken;
  }

  /** Returns the highest token that the register had accepted. */
  public long storedToken() {
    return storedToken;
  }
}
