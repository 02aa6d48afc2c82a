package dev.fencing.harness.arm;

import dev.fencing.harness.history.Workload;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import org.apache.curator.framework.CuratorFramework;

/** A way to lock and to write: the product's, or a mutant, which the checker has to catch. */
@SuppressWarnings("ImmutableEnumChecker") // Its functions keep nothing.
public enum Arm {
  P1(
      "P1",
      "raise, check for equality, renew when in doubt",
      Locks::fenced,
      (tools, job) -> new FencedTransactions(tools.fence(), job, true)),
  P1_GIVES_UP(
      "P1'",
      "the same, and a new acquisition when in doubt",
      Locks::fenced,
      (tools, job) -> new FencedTransactions(tools.fence(), job, false)),
  P2(
      "P2",
      "row mode: claim, then write through its handle",
      Locks::fenced,
      (tools, job) -> new FencedRows(tools.table(), job)),

  NO_FENCE(
      "no-fence",
      "Curator's mutex and nothing else",
      Locks::plain,
      (tools, job) -> new NoFence(job),
      "C3",
      "C4",
      "C5"),
  NO_RAISE(
      "no-raise",
      "<= without a raise",
      Locks::fenced,
      (tools, job) -> ConditionalUpdate.withoutRaise(job),
      "C4",
      "C5"),
  STRICT(
      "strict",
      "strict < with a raise, so that nothing is ever written",
      Locks::fenced,
      (tools, job) -> ConditionalUpdate.strict(job),
      "C8"),
  EXISTS(
      "exists",
      "guarded by EXISTS, without a lock",
      Locks::fenced,
      (tools, job) -> new ExistsGuard(job),
      "C4",
      "C5"),
  RAISE_AND_READ(
      "raise-and-read",
      "raise and read in one statement",
      Locks::fenced,
      (tools, job) -> new RaiseAndRead(job),
      "C4",
      "C5"),
  GOES_ON(
      "goes-on",
      "the same token goes on after an unknown outcome",
      Locks::fenced,
      (tools, job) -> new GoesOnInDoubt(job),
      "C4"),
  SEQUENCE_SUFFIX(
      "sequence-suffix",
      "the sequence suffix is the token, and its parent is removed",
      Locks::sequence,
      (tools, job) -> new HandWritten(job),
      "C7"),
  TOKEN_AT_WRITE(
      "token-at-write",
      "the token is read from the lock object when it writes",
      Locks::fenced,
      (tools, job) -> new TokenAtWriteTime(job, tools.lock()),
      "C4"),
  COUNT_IGNORED(
      "count-ignored",
      "the update count is ignored",
      Locks::fenced,
      (tools, job) -> ConditionalUpdate.countIgnored(job),
      "C2"),
  WRITTEN_ROWS_ONLY(
      "written-rows-only",
      "a fence a row, raised for written rows only",
      Locks::fenced,
      (tools, job) -> new FenceOfWrittenRows(job),
      "C5"),
  RAISES_AGAIN(
      "raises-again",
      "tokens compared without raise ids, and raised again when in doubt",
      Locks::fenced,
      (tools, job) -> new RaisesAgain(job),
      "C4"),
  SAVEPOINT(
      "savepoint",
      "a savepoint before the check",
      Locks::fenced,
      (tools, job) -> new SavepointBeforeCheck(job),
      "C4",
      "C5"),
  DELETED_ROW(
      "deleted-row",
      "row mode: a row deleted, and upserted late",
      Locks::fenced,
      (tools, job) -> new DeletedRow(job),
      "C3",
      "C5");

  /** Makes one thread's view of a lock; the tag goes into its node. */
  private interface LockFactory {
    Lock of(CuratorFramework client, String path, String tag);
  }

  private final String title;
  private final String description;
  private final LockFactory locks;
  private final BiFunction<Tools, Job, Guard> guards;
  private final List<String> caughtBy;

  Arm(
      String title,
      String description,
      LockFactory locks,
      BiFunction<Tools, Job, Guard> guards,
      String... caughtBy) {
    this.title = title;
    this.description = description;
    this.locks = locks;
    this.guards = guards;
    this.caughtBy = List.of(caughtBy);
  }

  /** Its name in histories and reports. */
  public String title() {
    return title;
  }

  public String description() {
    return description;
  }

  /** The checks of which one at least must catch it; none for the product. */
  public List<String> caughtBy() {
    return caughtBy;
  }

  public boolean isMutant() {
    return !caughtBy.isEmpty();
  }

  /** The arm of that title. */
  public static Arm of(String title) {
    return Arrays.stream(values())
        .filter(arm -> arm.title.equals(title))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no arm " + title));
  }

  public Lock lock(CuratorFramework client, String path, String tag) {
    return locks.of(client, path, tag);
  }

  public Guard guard(Tools tools, Job job) {
    return guards.apply(tools, job);
  }

  /** Whether this arm can do a workload. */
  public boolean does(Workload workload) {
    return switch (this) {
      case P2 -> !workload.isBank();
      case WRITTEN_ROWS_ONLY -> workload == Workload.BANK_FENCE_PER_ROW;
      default -> !isMutant() || workload == Workload.COUNTER;
    };
  }
}
