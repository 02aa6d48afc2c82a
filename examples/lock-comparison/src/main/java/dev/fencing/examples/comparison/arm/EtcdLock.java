package dev.fencing.examples.comparison.arm;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.support.CloseableClient;
import io.etcd.jetcd.support.Observers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * etcd's own lock, under a lease that is kept alive. The token is the revision at which the key of
 * this hold was created: holders come in the order of these.
 */
final class EtcdLock implements Lock {

  private static final Duration BOUND = Duration.ofSeconds(5);

  /** A lease, and whether it is known to be over. */
  private static final class Session {
    private final long id;
    private volatile boolean over;
    private @Nullable CloseableClient keepAlive;

    private Session(long id) {
      this.id = id;
    }
  }

  private final Client client;
  private final long seconds;
  private @Nullable Session session;
  private long grantedSeconds;

  EtcdLock(String address, Duration lease) {
    this.client = Client.builder().endpoints("http://" + address).build();
    this.seconds = Math.max(1, lease.plusMillis(999).toSeconds()); // In seconds, by its protocol.
  }

  private Session session() throws Exception {
    Session current = session;
    if (current == null || current.over) {
      close(current);
      var grant = within(client.getLeaseClient().grant(seconds));
      grantedSeconds = grant.getTTL();
      Session started = new Session(grant.getID());
      Runnable over = () -> started.over = true;
      started.keepAlive =
          client
              .getLeaseClient()
              .keepAlive(
                  started.id,
                  Observers.<LeaseKeepAliveResponse>builder()
                      .onError(failure -> over.run())
                      .onCompleted(over)
                      .build());
      session = started;
      current = started;
    }
    return current;
  }

  /** Whose lease has ended meanwhile queues again, under a new one. */
  @Override
  public @Nullable Hold acquire(String resource, Duration wait) throws Exception {
    long start = System.nanoTime();
    while (true) {
      Session mine = session();
      long left = wait.toNanos() - (System.nanoTime() - start);
      try {
        Hold hold = queue(mine, bytes("locks/" + resource), left);
        if (hold != null) {
          return hold;
        }
      } catch (TimeoutException busy) {
        within(client.getLeaseClient().revoke(mine.id)); // Takes its place in the queue with it.
        mine.over = true;
        return null;
      } catch (ExecutionException e) {
        if (left <= 0) {
          throw e;
        }
      }
      mine.over = true;
    }
  }

  /** Returns null if the key was gone by the time that it was granted. */
  private @Nullable Hold queue(Session mine, ByteSequence name, long nanos) throws Exception {
    ByteSequence key =
        client
            .getLockClient()
            .lock(name, mine.id)
            .get(Math.max(1, nanos), TimeUnit.NANOSECONDS)
            .getKey();
    List<KeyValue> nodes = within(client.getKVClient().get(key)).getKvs();
    return nodes.isEmpty() ? null : new Held(mine, key, nodes.get(0).getCreateRevision());
  }

  private static <T> T within(CompletableFuture<T> answer) throws Exception {
    return answer.get(BOUND.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static ByteSequence bytes(String text) {
    return ByteSequence.from(text, StandardCharsets.UTF_8);
  }

  @Override
  public long leaseMillis() throws Exception {
    session();
    return TimeUnit.SECONDS.toMillis(grantedSeconds);
  }

  private static void close(@Nullable Session session) {
    if (session != null && session.keepAlive != null) {
      session.keepAlive.close();
    }
  }

  @Override
  public void close() {
    close(session);
    client.close();
  }

  private final class Held implements Hold {

    private final Session under;
    private final ByteSequence key;
    private final long token;

    private Held(Session under, ByteSequence key, long token) {
      this.under = under;
      this.key = key;
      this.token = token;
    }

    @Override
    public long token() {
      return token;
    }

    @Override
    public boolean seemsHeld() {
      return !under.over;
    }

    @Override
    public void release() throws Exception {
      within(client.getLockClient().unlock(key));
    }
  }
}
