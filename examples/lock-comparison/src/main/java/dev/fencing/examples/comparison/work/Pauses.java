package dev.fencing.examples.comparison.work;

import dev.fencing.examples.comparison.history.Transaction;

/** What happens while a worker is stopped, and around it. Called by several threads. */
public interface Pauses {

  /** Before a transaction is handed to a worker. */
  default void before(Planned planned) throws Exception {}

  /** Returns when the worker is to wake up; it is stopped for that long. */
  void whileStopped(Planned planned) throws Exception;

  /** After each attempt. */
  default void after(Transaction attempt) {}
}
