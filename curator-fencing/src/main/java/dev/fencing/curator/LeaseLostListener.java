package dev.fencing.curator;

/** Is told that a lease is lost. */
@FunctionalInterface
public interface LeaseLostListener {

  /**
   * Called once when the lease has been lost, and never when its holder closed it first.
   *
   * <p>On an executor of the library's, not on ZooKeeper's event thread, so it may block. What it
   * throws is logged.
   *
   * @param lease the lost lease; its token is what the fenced resource refuses from now on
   */
  void leaseLost(FencedLease lease);
}
