/** What a run of one lock leaves behind, as records and as CSV files that can be read again. */
@NullMarked
package dev.fencing.examples.comparison.history;

import org.jspecify.annotations.NullMarked;
