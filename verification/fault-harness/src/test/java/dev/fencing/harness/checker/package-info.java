/** Tests of the checker: damage that it must see, and what is next to it and right. */
@NullMarked
package dev.fencing.harness.checker;

import org.jspecify.annotations.NullMarked;
