package dev.fencing.curator;

/** Does the leader's work. */
@FunctionalInterface
public interface FencedLeaderListener {

  /**
   * Runs while this process leads, on the selector's thread; to return is to step down and to queue
   * again at once.
   *
   * <p>Never runs twice at a time, and each run has a lease of its own with a higher token than the
   * run before, so take the token from the lease at hand and keep none. The run is interrupted once
   * when it has to end: the lease was lost and {@link FencedLease#requireLive()} throws from now
   * on; or the selector is closed or {@linkplain FencedLeaderSelector#interruptLeadership() told to
   * step down}, and the lease stays live until this method returns. An interrupt does not stop what
   * waits for a database or ignores it. So ask between steps both whether the thread is interrupted
   * and {@linkplain FencedLease#isLive() whether the lease is live}, and have every write fenced by
   * the token:
   *
   * <pre>{@code
   * while (lease.isLive() && !Thread.currentThread().isInterrupted()) {
   *   postNextBatch();
   * }
   * }</pre>
   *
   * <p>To swallow the interrupt and go on hurts nobody but this selector: it cannot stand for
   * election again before this method returns. Its {@linkplain FencedLeaderSelector#state() state}
   * says {@code STEPPING_DOWN} for that long.
   *
   * @param lease live at the start; the selector closes it when this method has returned
   * @throws Exception whatever went wrong, an Error too: it is logged and counted, the lease is
   *     released, and the selector stands for election again after at most 500 ms. What is thrown
   *     after the run was told to stop is taken for a consequence of that, and is not counted
   */
  void takeLeadership(FencedLease lease) throws Exception;
}
