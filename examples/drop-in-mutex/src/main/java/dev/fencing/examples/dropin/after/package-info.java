/** The warehouse with fenced writes: step 3 of a rolling switch, and where it ends. */
@NullMarked
package dev.fencing.examples.dropin.after;

import org.jspecify.annotations.NullMarked;
