/** Tests of what is not measured. */
@NullMarked
package dev.fencing.benchmarks;

import org.jspecify.annotations.NullMarked;
