/** The servers, the proxies and the worker processes of a run. */
@NullMarked
package dev.fencing.harness.stage;

import org.jspecify.annotations.NullMarked;
