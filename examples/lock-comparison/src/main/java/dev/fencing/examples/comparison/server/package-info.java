/** The servers that locks and data are on: started, killed, and gone when the run is. */
@NullMarked
package dev.fencing.examples.comparison.server;

import org.jspecify.annotations.NullMarked;
