package dev.fencing.examples.dropin;

/** What every version of the warehouse does. */
public interface Shop {

  /**
   * Takes an order off the shelf and writes it down. Waits for the lock; one order at a time over
   * all instances.
   *
   * @throws Exception if the order was not written down
   */
  void ship(Order order, Packer packer) throws Exception;
}
