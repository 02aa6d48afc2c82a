/** Tests of the report. */
@NullMarked
package dev.fencing.harness.report;

import org.jspecify.annotations.NullMarked;
