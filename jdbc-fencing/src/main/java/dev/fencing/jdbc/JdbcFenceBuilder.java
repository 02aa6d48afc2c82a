package dev.fencing.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Builds a {@link JdbcFence}; refuses a bad value at once. Not thread-safe. */
public final class JdbcFenceBuilder {

  final DataSource dataSource;
  String table = "fence";
  @Nullable String holder;
  long generation;
  Predicate<String> observed = resource -> false;
  final List<FenceListener> listeners = new ArrayList<>();
  Duration raiseTimeout = JdbcFence.DEFAULT_RAISE_TIMEOUT;
  Duration checkTimeout = JdbcFence.DEFAULT_CHECK_TIMEOUT;
  Duration idleInTransactionTimeout = JdbcFence.DEFAULT_IDLE_IN_TRANSACTION_TIMEOUT;

  JdbcFenceBuilder(DataSource dataSource) {
    this.dataSource = FencedDataSource.requireNone(dataSource);
  }

  /**
   * Names the guard table, {@code fence} by default.
   *
   * @param table lower-case letters, digits and underscores, with a schema in front if need be
   * @throws IllegalArgumentException if the name holds anything else
   */
  public JdbcFenceBuilder table(String table) {
    this.table = Settings.requireTable(table);
    return this;
  }

  /**
   * Names this process in the fence, for people who read messages; process id and host by default.
   *
   * @param holder 1 to 255 characters
   * @throws IllegalArgumentException if it is empty or longer
   */
  public JdbcFenceBuilder holder(String holder) {
    this.holder = Settings.requireHolder(holder);
    return this;
  }

  /**
   * Sets the generation that the tokens belong to, 0 by default. It is compared before the token,
   * and an operator raises it after the source of tokens was rebuilt and started again near zero.
   *
   * @param generation 0 or greater, and less than {@link Long#MAX_VALUE}
   * @throws IllegalArgumentException if it is not
   */
  public JdbcFenceBuilder generation(long generation) {
    if (generation < 0 || generation == Long.MAX_VALUE) {
      throw new IllegalArgumentException(
          "generation must be 0 or greater, and less than Long.MAX_VALUE, but is " + generation);
    }
    this.generation = generation;
    return this;
  }

  /**
   * Bounds a raise and a renewal in all, {@link JdbcFence#DEFAULT_RAISE_TIMEOUT} by default. Longer
   * than the idle-in-transaction timeout, so that a frozen holder's transaction is ended in time.
   *
   * @param timeout 1 ms to 1 hour
   * @throws IllegalArgumentException if it is outside that range
   */
  public JdbcFenceBuilder raiseTimeout(Duration timeout) {
    this.raiseTimeout = Settings.requireTimeout("raiseTimeout", timeout);
    return this;
  }

  /**
   * Bounds the wait of a check for a raise in progress, {@link JdbcFence#DEFAULT_CHECK_TIMEOUT} by
   * default.
   *
   * @param timeout 1 ms to 1 hour
   * @throws IllegalArgumentException if it is outside that range
   */
  public JdbcFenceBuilder checkTimeout(Duration timeout) {
    this.checkTimeout = Settings.requireTimeout("checkTimeout", timeout);
    return this;
  }

  /**
   * Has the server end a fenced transaction that stands idle for so long between two statements, as
   * a frozen holder's does; {@link JdbcFence#DEFAULT_IDLE_IN_TRANSACTION_TIMEOUT} by default. A
   * shorter limit that the role or the database has already is kept.
   *
   * @param timeout 1 ms to 1 hour
   * @throws IllegalArgumentException if it is outside that range
   */
  public JdbcFenceBuilder idleInTransactionTimeout(Duration timeout) {
    this.idleInTransactionTimeout = Settings.requireTimeout("idleInTransactionTimeout", timeout);
    return this;
  }

  /**
   * Refuses nothing on the resources that are named here: what would have been refused is told to
   * the listeners, and the work goes on as if there were no fence. So a running system can be
   * switched on resource by resource.
   *
   * <p>The check is a plain read then, which keeps no raise waiting; a raise still waits for the
   * transactions of those who enforce. A token that was refused is seen at every check.
   *
   * @param resources which resources are only observed; asked often, so it must be quick
   */
  public JdbcFenceBuilder observeOnly(Predicate<String> resources) {
    this.observed = Objects.requireNonNull(resources, "resources");
    return this;
  }

  /** Adds a listener; all that are added are told, in that order. */
  public JdbcFenceBuilder listener(FenceListener listener) {
    listeners.add(Objects.requireNonNull(listener, "listener"));
    return this;
  }

  /** Returns the fence; asks no database. */
  public JdbcFence build() {
    return new JdbcFence(this);
  }
}
