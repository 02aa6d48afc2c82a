package dev.fencing.harness.history;

/** What is done to a run. */
public enum FaultKind {
  PAUSE_HOLDER,
  KILL_HOLDER,
  PAUSE_BACKEND,
  WRITE_IN_FLIGHT,
  CUT_ZOOKEEPER,
  CUT_DATABASE,
  LOST_CREATE_REPLY,
  KILL_LEADER,
  FREEZE_LEADER,
  LOST_MAJORITY,
  TERMINATE_BACKEND,
  RESTART_DATABASE,
  CLOCK_JUMP,
  LIVE_ZOMBIE,
  DEADLOCK_VICTIM,
  TOKEN_GOES_BACK,
  PARENT_REMOVED,
  OPEN_TRANSACTION;

  /** Tells whether every worker feels it, not only the one it is aimed at. */
  public boolean hitsAll() {
    return switch (this) {
      case KILL_LEADER, FREEZE_LEADER, LOST_MAJORITY, RESTART_DATABASE, TOKEN_GOES_BACK -> true;
      default -> false;
    };
  }
}
