@NullMarked
package dev.fencing.harness.stage;

import org.jspecify.annotations.NullMarked;
