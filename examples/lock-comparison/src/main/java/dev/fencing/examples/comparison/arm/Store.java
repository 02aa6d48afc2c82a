package dev.fencing.examples.comparison.arm;

/** A way to read a row and to write it, for one thread. */
public interface Store {

  /**
   * Begins to work on a row; whatever raises a fence does it here.
   *
   * @param token of the hold, 0 if it has none
   * @throws RefusedException if the database has seen a newer token
   */
  Work begin(String row, long token) throws Exception;

  /** One read of a row, and one write. */
  interface Work {

    /** Reads the value. */
    long read() throws Exception;

    /**
     * Writes a value that was computed from the one read.
     *
     * @throws RefusedException if the database has refused it for its token
     */
    void write(long value) throws Exception;
  }
}
