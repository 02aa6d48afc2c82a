/** What the fences decide, as meters of Micrometer, which is an optional dependency. */
@NullMarked
package dev.fencing.jdbc.micrometer;

import org.jspecify.annotations.NullMarked;
