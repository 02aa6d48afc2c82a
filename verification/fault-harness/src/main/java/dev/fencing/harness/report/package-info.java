/** What was measured and found: for the terminal, for a browser and for RESULTS.md. */
@NullMarked
package dev.fencing.harness.report;

import org.jspecify.annotations.NullMarked;
