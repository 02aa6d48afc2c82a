@NullMarked
package dev.fencing.examples.comparison.arm;

import org.jspecify.annotations.NullMarked;
