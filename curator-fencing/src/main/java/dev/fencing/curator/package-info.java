/**
 * ZooKeeper locks that give a fencing token.
 *
 * <p>A lock service cannot tell a paused holder that it has lost its lock. So a lock keeps traffic
 * down, and what keeps data right is that the guarded resource remembers the highest token it has
 * seen and refuses every lower one. The token comes from here, under these rules:
 *
 * <ol>
 *   <li>The token is the czxid of the lock node that <em>this</em> acquisition created: the
 *       transaction id that ZooKeeper gave to the create. It comes out of the create's own reply;
 *       it is read from the server only when that reply was lost. It is never read from shared
 *       state, so a former holder cannot be told the token of its successor.
 *   <li>It is one opaque signed 64-bit number greater than 0. Compare it as such and do not decode
 *       it: how ZooKeeper divides the bits is no part of its contract, and in a three-server
 *       ensemble the very first token is larger than an {@code int}.
 *   <li>It rises with every grant on one lock path, but not by 1. ZooKeeper numbers lock nodes in
 *       the order of their creates, so lock order is token order.
 *   <li>Where that cannot be guaranteed, nothing is granted. The one case is a lock path whose
 *       sequence counter, a signed {@code int}, is used up: see {@link
 *       dev.fencing.curator.InterProcessFencedMutex}.
 *   <li>The sequence suffix of the node is no token: it starts again at 0 when the parent node is
 *       removed, which ZooKeeper does by itself with an empty container node.
 *   <li>Re-entry does not change the token; a new acquisition always has a new, higher one, even
 *       when the same thread gets the lock again at once.
 *   <li>A token stays what it is when the lock is lost. Whether it is still the highest only the
 *       guarded resource can say; {@link dev.fencing.curator.FencedLease#isLive()} and {@link
 *       dev.fencing.curator.InterProcessFencedMutex#getToken()} tell what this process knows.
 *   <li>Tokens of two ensembles are not comparable: an ensemble that was rebuilt from nothing
 *       counts from near zero again.
 * </ol>
 */
@NullMarked
package dev.fencing.curator;

import org.jspecify.annotations.NullMarked;
