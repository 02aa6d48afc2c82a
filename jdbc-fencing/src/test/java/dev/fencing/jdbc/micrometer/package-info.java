@NullMarked
package dev.fencing.jdbc.micrometer;

import org.jspecify.annotations.NullMarked;
