/**
 * The theatre around the warehouse: a rolling switch, played with real processes.
 *
 * <p>{@link dev.fencing.examples.dropin.demo.DropIn} starts the servers and judges at the end;
 * {@code RollingSwitch} is what is played; each {@code InstanceMain} is a process that runs one
 * version of the warehouse. What shows whether exclusion held and whether anything was lost is read
 * from the database by {@code Audit}.
 */
@NullMarked
package dev.fencing.examples.dropin.demo;

import org.jspecify.annotations.NullMarked;
