/** The locks, and the ways to write under them. */
@NullMarked
package dev.fencing.examples.comparison.arm;

import org.jspecify.annotations.NullMarked;
