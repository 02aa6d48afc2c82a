/**
 * A job that one of several processes does at a time, safe against a leader that was paused.
 *
 * <p>Interest for a month is posted to every account of a ledger. Several processes stand for
 * election; the elected one does the work, and the next one goes on where it stopped:
 *
 * <ol>
 *   <li><b>Election.</b> Each process stands for election by way of one lock in ZooKeeper. Who
 *       leads has its lease, with a fencing token that is higher than that of every leader before.
 *   <li><b>Raise.</b> The new leader first raises the fence of the job in the database to its
 *       token. From then on the database refuses every earlier leader, awake or not.
 *   <li><b>Read, compute, write.</b> One fenced transaction reads a batch, the new balances are
 *       computed with no transaction open, a second fenced transaction writes them together with
 *       the position that the job has reached. Each transaction first checks the fence.
 *   <li><b>Stale.</b> A leader that was paused between its read and its write, for longer than its
 *       session, is refused at the write, and stands for election anew.
 * </ol>
 *
 * <p>Start reading at {@link dev.fencing.examples.job.InterestJob}. What freezes the leader, starts
 * the servers and draws the picture is in {@code dev.fencing.examples.job.demo}.
 */
@NullMarked
package dev.fencing.examples.job;

import org.jspecify.annotations.NullMarked;
