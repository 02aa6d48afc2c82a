@NullMarked
package dev.fencing.examples.bank.demo;

import org.jspecify.annotations.NullMarked;
