/** Tests of what a run leaves behind. */
@NullMarked
package dev.fencing.harness.history;

import org.jspecify.annotations.NullMarked;
