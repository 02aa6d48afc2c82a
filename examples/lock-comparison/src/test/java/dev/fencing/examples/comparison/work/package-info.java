@NullMarked
package dev.fencing.examples.comparison.work;

import org.jspecify.annotations.NullMarked;
