/**
 * What the runs mean: lost updates, latency and refused writes of each arm, beside published
 * figures, for a terminal, as CSV and as one HTML page.
 */
@NullMarked
package dev.fencing.examples.comparison.report;

import org.jspecify.annotations.NullMarked;
