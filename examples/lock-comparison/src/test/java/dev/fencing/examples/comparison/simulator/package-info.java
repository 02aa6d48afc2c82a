@NullMarked
package dev.fencing.examples.comparison.simulator;

import org.jspecify.annotations.NullMarked;
