/** The comparison: every arm after the other, then the report. */
@NullMarked
package dev.fencing.examples.comparison.run;

import org.jspecify.annotations.NullMarked;
