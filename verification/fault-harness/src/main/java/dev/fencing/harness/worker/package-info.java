/** The process that holds locks and writes: what is frozen, killed and cut off. */
@NullMarked
package dev.fencing.harness.worker;

import org.jspecify.annotations.NullMarked;
