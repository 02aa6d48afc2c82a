@NullMarked
package dev.fencing.harness.nemesis;

import org.jspecify.annotations.NullMarked;
