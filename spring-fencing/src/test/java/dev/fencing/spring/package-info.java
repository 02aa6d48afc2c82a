@NullMarked
package dev.fencing.spring;

import org.jspecify.annotations.NullMarked;
