/**
 * A shop that takes its orders off the shelf under a lock, before and after the switch to fencing.
 *
 * <p>The switch is the difference between {@link dev.fencing.examples.dropin.before.Warehouse} and
 * {@link dev.fencing.examples.dropin.after.Warehouse}; {@link
 * dev.fencing.examples.dropin.between.Warehouse} is where only the class of the mutex has changed.
 * What all three share is in this package.
 */
@NullMarked
package dev.fencing.examples.dropin;

import org.jspecify.annotations.NullMarked;
