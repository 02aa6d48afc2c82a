package dev.fencing.examples.comparison.arm;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A Redis lock that counts its grants by INCR in the same step: the count is the token. */
final class CountedRedisLock extends RedisLock {

  CountedRedisLock(String address, Duration lease) {
    super(address, lease, Release.SCRIPT);
  }

  @Override
  @Nullable Hold tryOnce(String key, String value) {
    long token = node().lockAndCount(key, value, lease());
    return token == 0 ? null : new Held(key, value, token);
  }
}
