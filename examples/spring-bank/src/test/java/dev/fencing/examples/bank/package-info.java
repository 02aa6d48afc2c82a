@NullMarked
package dev.fencing.examples.bank;

import org.jspecify.annotations.NullMarked;
