@NullMarked
package dev.fencing.examples.comparison.run;

import org.jspecify.annotations.NullMarked;
