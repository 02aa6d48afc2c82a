/**
 * The warehouse with another class of mutex and nothing else changed: step 1 of a rolling switch.
 */
@NullMarked
package dev.fencing.examples.dropin.between;

import org.jspecify.annotations.NullMarked;
