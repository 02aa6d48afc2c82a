package dev.fencing.examples.comparison.history;

/**
 * A change of a balance as a trigger of the database logged it.
 *
 * @param sequence rises in commit order within an account: it is taken while the row is locked
 * @param token the token in the row after the change; 0 if it has none
 */
public record Change(long sequence, String account, long before, long after, long token) {}
