package dev.fencing.examples.dropin;

/** The slow part between the read and the write, during which no transaction is open. */
@FunctionalInterface
public interface Packer {

  /**
   * Packs the parcel.
   *
   * @param order what to pack
   * @param onShelf how many pieces there are
   */
  void pack(Order order, int onShelf) throws Exception;
}
