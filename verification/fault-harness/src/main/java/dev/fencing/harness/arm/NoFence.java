package dev.fencing.harness.arm;

/** Mutant: a lock and nothing else. */
final class NoFence extends HandWritten {

  NoFence(Job job) {
    super(job);
  }

  @Override
  public Raise raises() {
    return Raise.NONE;
  }

  @Override
  public void write(Change change, Pause pause) throws Exception {
    inTransaction(
        connection -> {
          Tables.write(connection, change, "", "");
          pause.beforeCommit(connection);
        });
  }
}
