/**
 * The theatre around the bank: servers, two processes, their clients, the freeze and the kill, and
 * the audit of the ledger. It knows the bank by HTTP and the ledger by SQL only.
 */
@NullMarked
package dev.fencing.examples.bank.demo;

import org.jspecify.annotations.NullMarked;
