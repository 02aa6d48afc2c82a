package dev.fencing.jdbc;

/** What is known of the transaction on a fenced connection. */
enum TransactionState {
  /** None is open: the next statement begins one. */
  NONE,
  /** It has begun while no hold was bound. */
  UNFENCED,
  /** The server lets it write nothing. */
  READ_ONLY,
  /** The fences of its holds are locked until it ends. */
  CHECKED,
  /** It can only be rolled back. */
  REFUSED,
  /** Its COMMIT got no answer, and the connection was cut. */
  LOST
}
