/**
 * The faults: a schedule drawn from a seed, and what carries it out and proves that it happened.
 */
@NullMarked
package dev.fencing.harness.nemesis;

import org.jspecify.annotations.NullMarked;
