package dev.fencing.harness.worker;

import dev.fencing.harness.arm.Change;
import dev.fencing.harness.arm.Tables;
import dev.fencing.harness.history.Row;
import dev.fencing.harness.history.Workload;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What is read under one hold, and what is computed from it. */
final class Computation {

  private final Workload workload;
  private final Random random;
  private final List<String> reads;
  private final List<String> writes;

  private Computation(Workload workload, Random random, List<String> reads, List<String> writes) {
    this.workload = workload;
    this.random = random;
    this.reads = reads;
    this.writes = writes;
  }

  static Computation of(Workload workload, String lock, DataSource database, Random random)
      throws SQLException {
    return switch (workload) {
      case COUNTER -> new Computation(workload, random, List.of(lock), List.of(lock));
      case LIST_APPEND -> {
        try (Connection connection = database.getConnection()) {
          List<String> list = List.of(Tables.openList(connection, lock));
          yield new Computation(workload, random, list, list);
        }
      }
      case BANK, BANK_FENCE_PER_ROW -> {
        List<String> accounts = new ArrayList<>();
        for (int i = 0; i < Tables.ACCOUNTS; i++) {
          accounts.add(lock + "/a" + i);
        }
        List<String> shuffled = new ArrayList<>(accounts);
        Collections.shuffle(shuffled, random);
        List<String> pair = new ArrayList<>(shuffled.subList(0, 2));
        Collections.sort(pair);
        yield new Computation(workload, random, accounts, pair);
      }
      case LOCK_ONLY -> new Computation(workload, random, List.of(), List.of());
    };
  }

  List<String> reads() {
    return reads;
  }

  List<String> writes() {
    return writes;
  }

  /** The only row, where there is only one that is not named like the lock. */
  @Nullable String key(String lock) {
    return reads.size() == 1 && !reads.get(0).equals(lock) ? reads.get(0) : null;
  }

  Change change(String op, long token, Map<String, Row> rows) {
    TreeMap<String, Change.Cell> cells = new TreeMap<>();
    long amount = random.nextInt(20);
    for (int i = 0; i < writes.size(); i++) {
      Row read = rows.get(writes.get(i));
      if (read == null) {
        throw new IllegalStateException("row " + writes.get(i) + " is not there");
      }
      Object fresh =
          switch (workload) {
            case COUNTER -> number(read) + 1;
            case LIST_APPEND -> appended((List<?>) read.value(), random.nextInt(1_000_000));
            default -> number(read) + (i == 0 ? -amount : amount);
          };
      cells.put(
          writes.get(i), new Change.Cell(read, Tables.text(read.value()), Tables.text(fresh)));
    }
    return new Change(op, token, cells);
  }

  private static long number(Row read) {
    if (read.value() instanceof Long number) {
      return number;
    }
    throw new IllegalStateException("no number in " + read);
  }

  private static List<Object> appended(@Nullable List<?> list, long element) {
    List<Object> longer = new ArrayList<>(list == null ? List.of() : list);
    longer.add(element);
    return longer;
  }

  /** Rows as an operation has them. */
  @Nullable Object read(Map<String, Row> rows) {
    return reads.size() == 1 ? rows.get(reads.get(0)) : rows;
  }

  /** What is to be written, as an operation has it. */
  Object written(Change change) {
    Map<String, Object> values = new TreeMap<>();
    change.cells().forEach((key, cell) -> values.put(key, Tables.value(workload, cell.fresh())));
    return values.size() == 1 && reads.size() == 1 ? values.values().iterator().next() : values;
  }
}
