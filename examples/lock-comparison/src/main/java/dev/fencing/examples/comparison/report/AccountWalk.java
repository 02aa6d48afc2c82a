package dev.fencing.examples.comparison.report;

import dev.fencing.examples.comparison.history.Change;
import dev.fencing.examples.comparison.history.Outcome;
import dev.fencing.examples.comparison.history.Transaction;
import dev.fencing.examples.comparison.report.LostUpdates.Loss;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The changes of one account, from the first to the last. */
final class AccountWalk {

  /** A balance of the account, with what it was computed from, and who wrote it. */
  private static final class State {

    private final @Nullable State base;
    private final @Nullable Transaction by;
    private final long balance;

    private State(@Nullable State base, @Nullable Transaction by, long balance) {
      this.base = base;
      this.by = by;
      this.balance = balance;
    }

    /** Itself and what it was computed from, back to the first. */
    private Stream<State> lineage() {
      return Stream.iterate(this, Objects::nonNull, state -> state.base);
    }

    private boolean contains(State other) {
      return lineage().anyMatch(state -> state == other);
    }

    private long sumOfAmounts() {
      return lineage().mapToLong(state -> state.by == null ? 0 : state.by.amount()).sum();
    }
  }

  private final String account;
  private final List<Change> changes;
  private final Map<Long, List<Transaction>> unmatchedByBalance = new LinkedHashMap<>();
  private final List<State> states = new ArrayList<>();
  private final List<String> inconsistencies = new ArrayList<>();
  private int landed;
  private int staleWrites;

  AccountWalk(String account, List<Change> changes, List<Transaction> transactions) {
    this.account = account;
    this.changes = changes.stream().sorted(Comparator.comparingLong(Change::sequence)).toList();
    for (Transaction each : transactions) {
      unmatchedByBalance.computeIfAbsent(each.wrote(), wrote -> new ArrayList<>()).add(each);
    }
  }

  int landed() {
    return landed;
  }

  int staleWrites() {
    return staleWrites;
  }

  List<String> inconsistencies() {
    return inconsistencies;
  }

  void run() {
    for (Change change : changes) {
      if (states.isEmpty()) {
        states.add(new State(null, null, change.before()));
      } else if (last().balance != change.before()) {
        wrong(
            "change %d found a balance of %d, but the change before it had left %d"
                .formatted(change.sequence(), change.before(), last().balance));
      }
      states.add(next(change));
    }
    unmatchedByBalance.values().stream()
        .flatMap(List::stream)
        .filter(each -> each.outcome() == Outcome.WRITTEN)
        .forEach(
            each ->
                wrong(
                    "transaction %d was told that its %d was written, but no change says so"
                        .formatted(each.number(), each.wrote())));
    if (!states.isEmpty() && states.get(0).balance + last().sumOfAmounts() != last().balance) {
      wrong(
          "the last balance is %d, but %d at first and the amounts in it make %d"
              .formatted(
                  last().balance,
                  states.get(0).balance,
                  states.get(0).balance + last().sumOfAmounts()));
    }
  }

  private State next(Change change) {
    Transaction owner = owner(change);
    if (owner == null) {
      return new State(last(), null, change.after());
    }
    landed++;
    State base = read(owner);
    if (base != last()) {
      staleWrites++;
    }
    return new State(base, owner, change.after());
  }

  /** Finds the balance that it read: the latest that was as high. */
  private State read(Transaction owner) {
    for (int i = states.size() - 1; i >= 0; i--) {
      if (states.get(i).balance == owner.read()) {
        return states.get(i);
      }
    }
    wrong(
        "transaction %d read %d, which the account had never held"
            .formatted(owner.number(), owner.read()));
    return last();
  }

  private @Nullable Transaction owner(Change change) {
    List<Transaction> candidates = unmatchedByBalance.getOrDefault(change.after(), List.of());
    List<Transaction> landing =
        candidates.stream()
            .filter(each -> each.outcome() == Outcome.WRITTEN || each.outcome() == Outcome.UNKNOWN)
            .filter(each -> change.token() == 0 || each.token() == change.token())
            .toList();
    if (landing.isEmpty()) {
      String whose =
          candidates.isEmpty()
              ? "nobody's"
              : "that of transaction %d with token %d, which ended as %s"
                  .formatted(
                      candidates.get(0).number(),
                      candidates.get(0).token(),
                      candidates.get(0).outcome());
      wrong(
          "change %d from %d to %d with token %d is %s"
              .formatted(
                  change.sequence(), change.before(), change.after(), change.token(), whose));
      return null;
    }
    Transaction owner = landing.get(0);
    if (landing.size() > 1) {
      wrong(
          "change %d to %d can be that of transaction %d as well as of %d"
              .formatted(
                  change.sequence(), change.after(), owner.number(), landing.get(1).number()));
    }
    // Equal records may be two attempts: only one of them goes.
    candidates.remove(owner);
    return owner;
  }

  /** Returns what is not in the last balance, and what overwrote it. */
  List<Loss> losses() {
    List<Loss> losses = new ArrayList<>();
    if (states.isEmpty()) {
      return losses;
    }
    Set<State> kept = last().lineage().collect(Collectors.toSet());
    for (int i = 1; i < states.size(); i++) {
      State state = states.get(i);
      if (state.by == null || kept.contains(state)) {
        continue;
      }
      for (State later : states.subList(i + 1, states.size())) {
        if (later.by != null && !later.contains(state)) {
          losses.add(new Loss(state.by, later.by));
          break;
        }
      }
    }
    return losses;
  }

  private State last() {
    return states.get(states.size() - 1);
  }

  private void wrong(String what) {
    inconsistencies.add(account + ": " + what);
  }
}
