/** The warehouse on Curator's mutex, with plain writes: step 0 of a rolling switch. */
@NullMarked
package dev.fencing.examples.dropin.before;

import org.jspecify.annotations.NullMarked;
