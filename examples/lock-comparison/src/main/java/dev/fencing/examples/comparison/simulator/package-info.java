/**
 * The same comparison as a model on virtual time, with nothing but the JDK: a lock with a lease, an
 * issuer of tokens, and a storage that validates them. It takes a second, and the same seed gives
 * the same table on every machine.
 *
 * <ol>
 *   <li>A lock server keeps a name for as long as the lease lasts; clients ask again until they get
 *       it. {@link dev.fencing.examples.comparison.simulator.TokenIssuer} adds 1 with each grant.
 *   <li>A client reads a balance, thinks, and writes the balance plus its amount. Some stop in
 *       between, for longer than the lease.
 *   <li>{@link dev.fencing.examples.comparison.simulator.ValidatedStorage} accepts a write only if
 *       its token is greater than that of the last one; otherwise it answers 412.
 *   <li>A holder has its token raised before it reads. Without that a late write still lands
 *       between the read and the write of the next holder, with tokens in perfect order.
 * </ol>
 */
@NullMarked
package dev.fencing.examples.comparison.simulator;

import org.jspecify.annotations.NullMarked;
