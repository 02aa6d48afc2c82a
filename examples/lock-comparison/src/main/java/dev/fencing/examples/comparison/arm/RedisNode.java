package dev.fencing.examples.comparison.arm;

import java.time.Duration;
import java.util.List;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/** The commands of a Redis lock, on one server. A key is held by whose random value it has. */
final class RedisNode implements AutoCloseable {

  private static final String OK = "OK";

  private static final String DELETE_IF_MINE =
      """
      if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
      return 0
      """;

  private static final String EXTEND_IF_MINE =
      """
      if redis.call('GET', KEYS[1]) == ARGV[1] then
        return redis.call('PEXPIRE', KEYS[1], ARGV[2])
      end
      return 0
      """;

  private static final String LOCK_AND_COUNT =
      """
      if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
        return redis.call('INCR', KEYS[2])
      end
      return 0
      """;

  private final RedisClient client;

  /**
   * @param bound how long to wait for a connection, and for an answer
   */
  RedisNode(String address, Duration bound) {
    this.client =
        RedisClient.builder()
            .hostAndPort(HostAndPort.from(address))
            .clientConfig(
                DefaultJedisClientConfig.builder()
                    .connectionTimeoutMillis((int) bound.toMillis())
                    .socketTimeoutMillis((int) bound.toMillis())
                    // By itself the client greets each server that it connects to. A silent one
                    // would use up its time twice: the pool replaces a failed connection at once.
                    .autoNegotiateProtocol(false)
                    .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
                    .build())
            .build();
  }

  boolean lock(String key, String value, Duration lease) {
    return OK.equals(client.set(key, value, SetParams.setParams().nx().px(lease.toMillis())));
  }

  /** Locks, and counts the grants of the key in the same step; 0 if it is not free. */
  long lockAndCount(String key, String value, Duration lease) {
    return (Long)
        client.eval(
            LOCK_AND_COUNT,
            List.of(key, key + ":token"),
            List.of(value, Long.toString(lease.toMillis())));
  }

  boolean extend(String key, String value, Duration lease) {
    return (Long)
            client.eval(
                EXTEND_IF_MINE, List.of(key), List.of(value, Long.toString(lease.toMillis())))
        == 1;
  }

  /** Deletes the key if it has the value, in one step. */
  boolean unlock(String key, String value) {
    return (Long) client.eval(DELETE_IF_MINE, List.of(key), List.of(value)) == 1;
  }

  boolean has(String key, String value) {
    return value.equals(client.get(key));
  }

  /** Deletes the key, whoever holds it. */
  void delete(String key) {
    client.del(key);
  }

  @Override
  public void close() {
    client.close();
  }
}
