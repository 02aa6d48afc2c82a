package dev.fencing.harness.history;

/** Which half of an operation a line tells, and how it went. */
public enum OpType {
  /** Written before anything is sent. */
  INVOKE,
  /** Done and acknowledged. */
  OK,
  /** Certainly not done: refused by the database, or its COMMIT was never sent. */
  FAIL,
  /** Nobody knows. The process that wrote it goes on under another number. */
  INFO
}
