/** The work: transactions in a schedule, and the processes that do them and are frozen. */
@NullMarked
package dev.fencing.examples.comparison.work;

import org.jspecify.annotations.NullMarked;
