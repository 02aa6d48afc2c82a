@NullMarked
package dev.fencing.examples.comparison.server;

import org.jspecify.annotations.NullMarked;
