package dev.fencing.examples.comparison.arm;

import static dev.fencing.examples.comparison.arm.Arm.Kind.BARE;
import static dev.fencing.examples.comparison.arm.Arm.Kind.CONDITIONAL;
import static dev.fencing.examples.comparison.arm.Arm.Kind.DATABASE_LOCK;
import static dev.fencing.examples.comparison.arm.Arm.Kind.FENCED;
import static dev.fencing.examples.comparison.arm.Arm.Need.ETCD;
import static dev.fencing.examples.comparison.arm.Arm.Need.FIVE_REDIS;
import static dev.fencing.examples.comparison.arm.Arm.Need.NOTHING;
import static dev.fencing.examples.comparison.arm.Arm.Need.REDIS;
import static dev.fencing.examples.comparison.arm.Arm.Need.REDIS_PAIR;
import static dev.fencing.examples.comparison.arm.Arm.Need.ZOOKEEPER;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import javax.sql.DataSource;

/** The locks that are compared, each with a way to write under it. */
public enum Arm {
  NONE(BARE, NOTHING, "Nothing: whoever writes last wins."),
  REDIS_SET_NX(BARE, REDIS, "One holder at a time while no holder is silent past its lease."),
  REDIS_GET_DEL(
      BARE,
      REDIS,
      "Less than a release by script: a late release may delete the lock of the next holder."),
  REDIS_RENEWED(
      BARE, REDIS, "One holder at a time while the renewal runs, which freezes with its process."),
  REDIS_FAILOVER(
      BARE,
      REDIS_PAIR,
      "One holder at a time while no primary dies: its replica may not know the lock."),
  REDLOCK(
      BARE,
      FIVE_REDIS,
      "Survives the loss of two servers of five; still nothing for a holder that is frozen."),
  REDLOCK_ONE_DEAD(BARE, FIVE_REDIS, "As redlock, with four servers of five."),
  REDLOCK_CLOCK_JUMP(
      BARE, FIVE_REDIS, "As redlock, as long as no clocks of a majority of servers jump."),
  INTERPROCESS_MUTEX(
      BARE, ZOOKEEPER, "One holder at a time while no holder is silent past its session."),
  ETCD_LOCK(BARE, ETCD, "One holder at a time while no holder is silent past its lease."),

  FENCED_ROW(FENCED, ZOOKEEPER, "No lost update: the row refuses every token but the newest."),
  FENCED_GUARD(
      FENCED, ZOOKEEPER, "No lost update: the guard row refuses every token but the newest."),
  REDIS_INCR_ROW(
      FENCED, REDIS, "No lost update, as long as Redis never forgets how far it has counted."),
  REDISSON_ROW(
      FENCED, REDIS, "No lost update, as long as Redis never forgets how far it has counted."),
  ETCD_REVISION_ROW(FENCED, ETCD, "No lost update: the row refuses every token but the newest."),
  SEQUENCE_ROW(FENCED, REDIS, "No lost update: the row refuses every token but the newest."),
  CLAIMED_BY_HAND(
      FENCED, ZOOKEEPER, "No lost update: the row is claimed by hand before it is read."),

  CONDITIONAL_STRICT(
      CONDITIONAL,
      ZOOKEEPER,
      "Refuses (<) who writes after a newer holder has written, not who writes just before."),
  CONDITIONAL_NON_STRICT(
      CONDITIONAL,
      ZOOKEEPER,
      "Refuses (<=) who writes after a newer holder has written, not who writes just before."),

  ADVISORY_LOCK(
      DATABASE_LOCK,
      NOTHING,
      "One holder at a time while its connection lives; a frozen holder keeps all others waiting."),
  SELECT_FOR_UPDATE(
      DATABASE_LOCK,
      NOTHING,
      "No lost update on this row; a frozen holder keeps all others waiting.");

  /** What may be expected of an arm. */
  public enum Kind {
    /** A lock that may pass on while a holder still works, and nothing that would refuse it. */
    BARE,
    /** A token that is raised or claimed before the read. */
    FENCED,
    /** A token that is compared at the write alone. */
    CONDITIONAL,
    /** A lock of the database, which does not pass on while its connection lives. */
    DATABASE_LOCK
  }

  /** The servers of an arm besides the database. */
  public enum Need {
    NOTHING,
    ZOOKEEPER,
    REDIS,
    /** A primary and a replica of it. */
    REDIS_PAIR,
    FIVE_REDIS,
    ETCD
  }

  private final Kind kind;
  private final Need need;
  private final String promise;

  Arm(Kind kind, Need need, String promise) {
    this.kind = kind;
    this.need = need;
    this.promise = promise;
  }

  /** The name as it is typed. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public Kind kind() {
    return kind;
  }

  public Need need() {
    return need;
  }

  public String promise() {
    return promise;
  }

  /** Connects a client of the lock. */
  public Lock lock(Setup setup, DataSource dataSource) throws Exception {
    Duration lease = Duration.ofMillis(setup.leaseMillis());
    LockWait database = LockWait.of(setup.jdbcUrl());
    return switch (this) {
      case NONE -> new NoLock();
      case REDIS_SET_NX -> new RedisLock(setup.redis().get(0), lease, RedisLock.Release.SCRIPT);
      case REDIS_GET_DEL ->
          new RedisLock(setup.redis().get(0), lease, RedisLock.Release.GET_THEN_DEL);
      case REDIS_RENEWED -> new RenewedRedisLock(setup.redis().get(0), lease);
      case REDIS_FAILOVER -> new FailoverRedisLock(Path.of(setup.primaryFile()), lease);
      case REDLOCK, REDLOCK_ONE_DEAD, REDLOCK_CLOCK_JUMP ->
          new Redlock(setup.redis(), lease, Redlock.nodeTimeout(lease));
      case INTERPROCESS_MUTEX -> new PlainMutex(setup.zookeeper(), lease);
      case FENCED_ROW, FENCED_GUARD, CLAIMED_BY_HAND, CONDITIONAL_STRICT, CONDITIONAL_NON_STRICT ->
          new FencedMutex(setup.zookeeper(), lease);
      case ETCD_LOCK, ETCD_REVISION_ROW -> new EtcdLock(setup.etcd(), lease);
      case REDIS_INCR_ROW -> new CountedRedisLock(setup.redis().get(0), lease);
      case REDISSON_ROW -> new RedissonLock(setup.redis().get(0), lease);
      case SEQUENCE_ROW ->
          new SequencedLock(
              new RedisLock(setup.redis().get(0), lease, RedisLock.Release.SCRIPT),
              dataSource,
              database);
      case ADVISORY_LOCK -> new AdvisoryLock(dataSource, database);
      case SELECT_FOR_UPDATE -> new RowLock(dataSource, setup.workload(), database);
    };
  }

  /** Makes the way to write under the lock. */
  public Store store(Setup setup, DataSource dataSource, Lock lock) {
    Workload workload = setup.workload();
    return switch (this) {
      case FENCED_ROW, REDIS_INCR_ROW, REDISSON_ROW, ETCD_REVISION_ROW, SEQUENCE_ROW ->
          new RowStore(dataSource, workload);
      case FENCED_GUARD -> new GuardStore(dataSource, workload);
      case CLAIMED_BY_HAND ->
          new ConditionalStore(dataSource, workload, ConditionalStore.Form.CLAIMED);
      case CONDITIONAL_STRICT ->
          new ConditionalStore(dataSource, workload, ConditionalStore.Form.STRICT);
      case CONDITIONAL_NON_STRICT ->
          new ConditionalStore(dataSource, workload, ConditionalStore.Form.NON_STRICT);
      default -> lock instanceof RowLock own ? own : new PlainStore(dataSource, workload);
    };
  }
}
