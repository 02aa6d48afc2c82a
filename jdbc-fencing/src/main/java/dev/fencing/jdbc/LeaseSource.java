package dev.fencing.jdbc;

/**
 * Where {@link FencedRunner} gets a hold of the lock from, for example {@code mutex::acquireLease}.
 *
 * @param <L> a hold; closing it releases the lock
 */
@FunctionalInterface
public interface LeaseSource<L extends AutoCloseable> {

  /**
   * Acquires the lock, blocking as long as the lock does.
   *
   * @return the hold, which the runner closes
   * @throws Exception if the lock could not be had
   */
  L acquire() throws Exception;
}
