package dev.fencing.harness.checker;

import dev.fencing.harness.history.RunEnd;

/** C10: afterwards there is no lock node, no ephemeral node and no open transaction. */
final class Leftovers implements Rule {

  @Override
  public Finding judge(Indexed run) {
    Violations found = new Violations(Check.C10);
    RunEnd end = run.run().end();
    if (end == null) {
      return found.finding("the run did not get to its end");
    }
    look(found, end.children(), "lock nodes");
    look(found, end.ephemerals(), "ephemeral nodes");
    look(found, end.openTransactions(), "open transactions");
    return found.finding();
  }

  private static void look(Violations found, long count, String what) {
    found.judged();
    if (count != 0) {
      found.add("left over: %d %s".formatted(count, what));
    }
  }
}
