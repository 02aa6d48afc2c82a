package dev.fencing.harness.arm;

import dev.fencing.harness.history.Row;
import dev.fencing.jdbc.FencedResource;
import dev.fencing.jdbc.FencingException;
import dev.fencing.jdbc.JdbcFence;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** P1: raise, then transactions that check for equality first; renewed, or not, when in doubt. */
final class FencedTransactions implements Guard {

  private final JdbcFence fence;
  private final Job job;
  private final boolean renews;
  private final List<FencedResource> handles = new ArrayList<>();

  FencedTransactions(JdbcFence fence, Job job, boolean renews) {
    this.fence = fence;
    this.job = job;
    this.renews = renews;
  }

  @Override
  public Raise raises() {
    return Raise.APART;
  }

  @Override
  public void raise() {
    List<String> fences = job.fencePerRow() ? job.reads() : List.of(job.resource());
    for (String resource : fences) {
      try {
        handles.add(fence.raise(resource, job.grant().token()));
      } catch (FencingException e) {
        if (handles.isEmpty()) {
          throw e;
        }
        // Not as a refusal, after which nothing is raised: those before keep older holders out.
        throw new IllegalStateException(
            "raised %d of %d fences, then %s".formatted(handles.size(), fences.size(), e), e);
      }
    }
  }

  @Override
  public Map<String, Row> read() throws Exception {
    try (Connection connection = job.database().getConnection()) {
      return Tables.read(connection, job.workload(), job.reads());
    }
  }

  @Override
  public void write(Change change, Pause pause) throws Exception {
    if (change.cells().size() == 1 && handles.size() == 1 && job.random().nextInt(3) == 0) {
      inOneRoundTrip(change, pause);
      return;
    }
    fence.inTransaction(
        handles,
        connection -> {
          int missed = Tables.write(connection, change, "", "");
          if (missed > 0) {
            throw new IllegalStateException(missed + " rows were not there to be written");
          }
          pause.beforeCommit(connection);
          return true;
        });
  }

  private void inOneRoundTrip(Change change, Pause pause) throws Exception {
    pause.beforeCommit(null);
    String key = change.cells().firstKey();
    List<@Nullable Object> parameters =
        new ArrayList<>(Tables.parameters(change, change.cell(key)));
    parameters.add(key);
    handles
        .get(0)
        .update("UPDATE guarded SET " + Tables.SET + " WHERE key = ?", parameters.toArray());
  }

  @Override
  public void recover() throws HoldOverException {
    if (!renews) {
      throw new HoldOverException("gives up after an unknown outcome");
    }
    // All of them: each was part of the transaction in doubt.
    handles.replaceAll(FencedResource::renew);
  }

  @Override
  public boolean renews() {
    return renews;
  }

  @Override
  public @Nullable Zombie zombie() {
    return handles.isEmpty() ? null : new Zombie(handles.get(0));
  }
}
