package dev.fencing.harness.arm;

/**
 * Mutant: goes on with the same token after a write whose outcome is open, which can still land.
 */
final class GoesOnInDoubt extends HandWritten {

  GoesOnInDoubt(Job job) {
    super(job);
  }

  @Override
  public void recover() {}
}
