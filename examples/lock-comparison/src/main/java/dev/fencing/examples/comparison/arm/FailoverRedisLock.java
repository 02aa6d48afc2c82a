package dev.fencing.examples.comparison.arm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A Redis lock on whichever server is the primary now, which a file tells, as a sentinel would.
 *
 * <p>The replica knows of a key a moment later than the primary, so a new primary may not know of
 * it at all.
 */
final class FailoverRedisLock implements Lock {

  private final Path primaryFile;
  private final Duration lease;
  private @Nullable String address;
  private @Nullable RedisLock lock;

  FailoverRedisLock(Path primaryFile, Duration lease) {
    this.primaryFile = primaryFile;
    this.lease = lease;
  }

  @Override
  public @Nullable Hold acquire(String resource, Duration wait) throws Exception {
    String key = RedisLock.key(resource);
    String value = UUID.randomUUID().toString();
    return Polling.until(wait, () -> tryOnce(key, value));
  }

  private @Nullable Hold tryOnce(String key, String value) throws IOException {
    try {
      return onPrimary().tryOnce(key, value);
    } catch (JedisException failingOver) {
      return null; // No primary at the moment, or a replica that is not one yet.
    }
  }

  private RedisLock onPrimary() throws IOException {
    String now = Files.readString(primaryFile);
    RedisLock current = lock;
    if (current == null || !now.equals(address)) {
      close();
      current =
          new RedisLock(now, lease, RedisLock.Release.SCRIPT) {
            @Override
            @Nullable Hold tryOnce(String key, String value) {
              Hold hold = super.tryOnce(key, value);
              return hold == null ? null : new ReleasedIfAlive(hold);
            }
          };
      lock = current;
      address = now;
    }
    return current;
  }

  @Override
  public long leaseMillis() {
    return lease.toMillis();
  }

  @Override
  public void close() {
    if (lock != null) {
      lock.close();
    }
  }

  /** A hold whose server may be dead when it is given back. */
  private record ReleasedIfAlive(Hold hold) implements Hold {

    @Override
    public long token() {
      return 0;
    }

    @Override
    public boolean seemsHeld() throws Exception {
      return hold.seemsHeld();
    }

    @Override
    public void release() throws Exception {
      try {
        hold.release();
      } catch (JedisException dead) {
        // The key has died with its server, or expires on its successor.
      }
    }
  }
}
