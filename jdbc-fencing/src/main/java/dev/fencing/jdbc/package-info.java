/**
 * Databases that refuse a stale fencing token.
 *
 * <p>A lock service cannot tell a paused holder that it has lost its lock, so the database
 * remembers for each resource the highest token that was raised, and refuses every other:
 *
 * <ol>
 *   <li>A token is a positive {@code long} that rises with every grant of the lock.
 *   <li>A new holder raises the fence to its token in a transaction of its own, at READ COMMITTED
 *       and durably, before it reads anything: {@link dev.fencing.jdbc.JdbcFence#raise}. The raise
 *       waits for every transaction that passed an older check.
 *   <li>The first statement of a fenced transaction locks the fence, shared, until the commit, and
 *       passes only if the fence is at exactly this handle's raise: {@link
 *       dev.fencing.jdbc.FencedResource#inTransaction} and {@link
 *       dev.fencing.jdbc.FencedResource#check}. A transaction whose check failed never commits.
 *   <li>The verdict comes from the fence, never from an update count. Greater than the handle's
 *       raise is stale; lower means that the database lost the raise; the same token under another
 *       raise id is another handle's.
 *   <li>A COMMIT without an answer ends the handle: {@link
 *       dev.fencing.jdbc.UnknownOutcomeException}. {@link dev.fencing.jdbc.FencedResource#renew}
 *       waits for that transaction to end, one way or the other, and goes on.
 * </ol>
 *
 * <p>A table whose rows are written each by itself can carry the fence in a column of its own
 * instead: {@link dev.fencing.jdbc.FencedTable}.
 */
@NullMarked
package dev.fencing.jdbc;

import org.jspecify.annotations.NullMarked;
