package dev.fencing.curator;

/** What a contender waits behind. Tells {@link Contender#goneInFront} when it is gone. */
sealed interface InFront permits PredecessorWatch, Neighbour {

  /** Called with every beat while the client is connected. */
  void lookAfter();

  /** Nobody waits any more. */
  void leave();
}
