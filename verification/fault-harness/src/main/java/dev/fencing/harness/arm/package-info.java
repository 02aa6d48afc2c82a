/** The ways to lock and to write that are tried: the product, and what must be caught. */
@NullMarked
package dev.fencing.harness.arm;

import org.jspecify.annotations.NullMarked;
