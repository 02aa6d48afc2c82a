/** Starts everything, runs one arm after the other, and says whether all is well. */
@NullMarked
package dev.fencing.harness.run;

import org.jspecify.annotations.NullMarked;
