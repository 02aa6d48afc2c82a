@NullMarked
package dev.fencing.examples.comparison.history;

import org.jspecify.annotations.NullMarked;
