package dev.fencing.harness.arm;

import dev.fencing.harness.history.Row;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one hold does to the database, in its own way.
 *
 * <p>Of what a method throws, a {@link dev.fencing.jdbc.StaleTokenException} and a {@link
 * RefusedException} are refusals, an {@link dev.fencing.jdbc.UnknownOutcomeException} and a {@link
 * DoubtException} leave the outcome open, and everything else says that nothing was written.
 */
public interface Guard {

  /** How the first step of a hold is done. */
  enum Raise {
    /** There is none. */
    NONE,
    /** The fence is raised, then rows are read. */
    APART,
    /** Raising and reading are one, in every round. */
    CLAIM
  }

  Raise raises();

  /** Raises the fence; not called where there is {@linkplain Raise#NONE none}. */
  void raise() throws Exception;

  /** Returns the rows to be read; those of a claim. */
  Map<String, Row> read() throws Exception;

  /** Writes in one transaction. */
  void write(Change change, Pause pause) throws Exception;

  /**
   * Goes on under the same hold after a write with an open outcome; what follows reads anew.
   *
   * @throws HoldOverException if this way does not go on
   */
  void recover() throws Exception;

  /** Whether {@link #recover} changes the fence. */
  default boolean renews() {
    return false;
  }

  /** Called when the hold is about to be released. */
  default void finish() throws Exception {}

  /** A holder that does not know of its end, and keeps its connections busy; null if it cannot. */
  default @Nullable Zombie zombie() {
    return null;
  }
}
