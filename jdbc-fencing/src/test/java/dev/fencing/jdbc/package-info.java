/** Tests on real databases. */
@NullMarked
package dev.fencing.jdbc;

import org.jspecify.annotations.NullMarked;
