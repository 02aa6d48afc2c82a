@NullMarked
package dev.fencing.examples.comparison.report;

import org.jspecify.annotations.NullMarked;
