package dev.fencing.examples.job;

/**
 * One line of an accounts file.
 *
 * @param account the account's name, 1 to 40 letters, digits, dots, hyphens or underscores
 * @param cents its balance at the cut-off date, 0 to {@link Money#MAX_CENTS}
 */
public record OpeningBalance(String account, long cents) {}
