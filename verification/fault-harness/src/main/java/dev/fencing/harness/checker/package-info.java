/**
 * Judges what a run left behind. The order of writes is that of the versions in the database; a
 * clock, {@link System#nanoTime()} with one origin for all processes, is only asked whether one
 * operation had ended before another began.
 */
@NullMarked
package dev.fencing.harness.checker;

import org.jspecify.annotations.NullMarked;
