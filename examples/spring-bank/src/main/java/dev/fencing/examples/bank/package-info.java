/**
 * A bank: transfers over HTTP by several processes on one ledger, of which any may freeze or die.
 *
 * <p>Start reading at {@code TransferService}. Entities and repositories know nothing of fences;
 * {@code application.properties} has all that is configured. What freezes and kills the processes,
 * and audits the ledger, is in {@code dev.fencing.examples.bank.demo}.
 */
@NullMarked
package dev.fencing.examples.bank;

import org.jspecify.annotations.NullMarked;
