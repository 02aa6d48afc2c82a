package dev.fencing.spring;

import dev.fencing.jdbc.FencedDataSource.Unbound;
import java.time.Duration;
import java.util.List;
import org.apache.curator.utils.PathUtils;
import org.apache.zookeeper.client.ConnectStringParser;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties under {@code fencing}; a value that cannot be is refused at start, and so is a
 * name that there is not.
 *
 * @param enabled Whether anything of this is configured.
 * @param root The ZooKeeper path that all locks are under.
 * @param waitTime How long a call waits for a lock unless it says otherwise; 0 does not wait.
 * @param curator The connection to ZooKeeper.
 * @param jdbc The fence of the database.
 * @param web The answers to HTTP requests.
 */
@ConfigurationProperties(prefix = "fencing", ignoreUnknownFields = false)
record FencingProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("/fencing") String root,
    @DefaultValue("10s") Duration waitTime,
    @DefaultValue Curator curator,
    @DefaultValue Jdbc jdbc,
    @DefaultValue Web web) {

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException naming the property
   */
  FencingProperties {
    require(!waitTime.isNegative(), "fencing.wait-time", "0 or longer", waitTime);
    requirePath("fencing.root", "a ZooKeeper path such as /fencing", root);
  }

  /**
   * The connection to ZooKeeper; only for an application that has no CuratorFramework bean.
   *
   * @param connectString The servers, as host:port,host:port.
   * @param sessionTimeout How long a frozen holder keeps the others waiting.
   * @param connectionTimeout How long to wait for a connection, at start and later.
   * @param namespace A path in front of every other; none by default.
   * @param lazy Whether the application starts without ZooKeeper, and connects when it is there.
   */
  record Curator(
      @DefaultValue("localhost:2181") String connectString,
      @DefaultValue("15s") Duration sessionTimeout,
      @DefaultValue("10s") Duration connectionTimeout,
      @Nullable String namespace,
      @DefaultValue("false") boolean lazy) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException naming the property
     */
    Curator {
      requireServers(connectString);
      if (namespace != null) {
        requirePath("fencing.curator.namespace", "a path without its first slash", "/" + namespace);
      }
      requireMillis("fencing.curator.session-timeout", sessionTimeout);
      requireMillis("fencing.curator.connection-timeout", connectionTimeout);
      require(
          connectionTimeout.compareTo(sessionTimeout) <= 0,
          "fencing.curator.connection-timeout",
          "at most fencing.curator.session-timeout, " + sessionTimeout,
          connectionTimeout);
    }
  }

  /**
   * The fence of the database.
   *
   * @param dataSource The name of the DataSource bean that is fenced; the only or primary one by
   *     default.
   * @param schema What to do about the guard table at start.
   * @param table The name of the guard table.
   * @param holder Who this process is, in the guard table; process id and host by default.
   * @param generation Raised by an operator after ZooKeeper was rebuilt.
   * @param raiseTimeout How long a raise may take in all.
   * @param checkTimeout How long a check may wait for a raise.
   * @param idleInTransactionTimeout How long a fenced transaction may stand idle (PostgreSQL).
   * @param unbound What becomes of a write under no hold.
   * @param observeOnly Resources that refuse nothing and only report, such as account/*.
   */
  record Jdbc(
      @Nullable String dataSource,
      @DefaultValue("check") Schema schema,
      @DefaultValue("fence") String table,
      @Nullable String holder,
      @DefaultValue("0") long generation,
      @DefaultValue("15s") Duration raiseTimeout,
      @DefaultValue("20s") Duration checkTimeout,
      @DefaultValue("10s") Duration idleInTransactionTimeout,
      @DefaultValue("pass") Unbound unbound,
      @DefaultValue List<String> observeOnly) {

    private static final Duration LONGEST = Duration.ofHours(1);

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException naming the property
     */
    Jdbc {
      require(
          table.matches("([a-z_][a-z0-9_]*\\.)?[a-z_][a-z0-9_]*"),
          "fencing.jdbc.table",
          "lower-case letters, digits and underscores, with a schema in front if need be",
          table);
      require(
          holder == null || (!holder.isEmpty() && holder.length() <= 255),
          "fencing.jdbc.holder",
          "1 to 255 characters",
          holder);
      require(
          generation >= 0 && generation < Long.MAX_VALUE,
          "fencing.jdbc.generation",
          "0 or greater",
          generation);
      requireTimeout("fencing.jdbc.raise-timeout", raiseTimeout);
      requireTimeout("fencing.jdbc.check-timeout", checkTimeout);
      requireTimeout("fencing.jdbc.idle-in-transaction-timeout", idleInTransactionTimeout);
      observeOnly = List.copyOf(observeOnly);
    }

    private static void requireTimeout(String property, Duration timeout) {
      require(
          timeout.toMillis() >= 1 && timeout.compareTo(LONGEST) <= 0,
          property,
          "1 ms to 1 hour",
          timeout);
    }
  }

  /** What to do about the guard table at start. */
  enum Schema {
    /** Create what is missing, and check. */
    CREATE,
    /** Check, and refuse to start without it; the message has the DDL. */
    CHECK,
    /** Nothing: the first raise looks. */
    NONE
  }

  /**
   * The answers to HTTP requests.
   *
   * @param enabled Whether a stale token is answered 412, and a busy lock or fence 503.
   */
  record Web(@DefaultValue("true") boolean enabled) {}

  private static void requirePath(String property, String what, String path) {
    try {
      PathUtils.validatePath(path);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s must be %s but is \"%s\": %s".formatted(property, what, path, e.getMessage()), e);
    }
  }

  private static void requireServers(String connectString) {
    try {
      require(
          !new ConnectStringParser(connectString.strip()).getServerAddresses().isEmpty(),
          "fencing.curator.connect-string",
          "host:port",
          connectString);
    } catch (IllegalArgumentException e) { // Also of a port that is no number.
      throw new IllegalArgumentException(
          "fencing.curator.connect-string must be host:port,host:port but is \"%s\": %s"
              .formatted(connectString, e.getMessage()),
          e);
    }
  }

  private static void requireMillis(String property, Duration value) {
    require(
        value.toMillis() >= 1 && value.toMillis() <= Integer.MAX_VALUE,
        property,
        "1 ms to 24 days",
        value);
  }

  private static void require(
      boolean right, String property, String range, @Nullable Object value) {
    if (!right) {
      throw new IllegalArgumentException(
          "%s must be %s but is %s".formatted(property, range, value));
    }
  }
}
