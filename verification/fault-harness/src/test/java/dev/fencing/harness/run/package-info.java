@NullMarked
package dev.fencing.harness.run;

import org.jspecify.annotations.NullMarked;
