/** Databases that refuse a stale token. */
@NullMarked
package dev.fencing.jdbc;

import org.jspecify.annotations.NullMarked;
