/**
 * Fenced locks and databases as Spring beans: {@link dev.fencing.spring.Fenced} on a method, {@link
 * dev.fencing.spring.FencedTemplate} in code, {@link dev.fencing.spring.FencedLeader} for work that
 * one process at a time does.
 *
 * <p>The order is always the same: acquire the lock, raise the fence, begin the transaction, check,
 * work, commit or roll back, and then release. Spring Boot configures all of it; without Boot three
 * beans do: {@link dev.fencing.spring.FencedLocks}, a {@code JdbcFence} with a {@code
 * FencedDataSource} over it, and {@link dev.fencing.spring.FencedAnnotationPostProcessor}.
 */
@NullMarked
package dev.fencing.spring;

import org.jspecify.annotations.NullMarked;
