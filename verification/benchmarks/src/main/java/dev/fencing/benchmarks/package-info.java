/** Measures the fenced mutex against Curator's, on the same server in the same run. */
@NullMarked
package dev.fencing.benchmarks;

import org.jspecify.annotations.NullMarked;
