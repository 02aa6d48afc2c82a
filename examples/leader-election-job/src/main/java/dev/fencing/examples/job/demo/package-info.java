/**
 * The theatre around the job: servers, worker processes, the freeze, the audit and the picture.
 *
 * <p>{@link dev.fencing.examples.job.demo.Demo} directs. It starts one {@code Guardian} process,
 * which owns the embedded servers and stops everything when the demo ends in any way, and three
 * {@code WorkerMain} processes, which run the job and stop at marks until the demo answers.
 */
@NullMarked
package dev.fencing.examples.job.demo;

import org.jspecify.annotations.NullMarked;
