package dev.fencing.spring;

import dev.fencing.curator.InterProcessFencedMutex;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.utils.PathUtils;
import org.jspecify.annotations.Nullable;

/**
 * The fenced locks of an application by name: the resource {@code ledger} has its lock at {@code
 * ledger} under the root.
 *
 * <p>Keeps one mutex for each path for as long as somebody holds it or waits, so the number of
 * names may be unbounded. Thread-safe.
 */
public final class FencedLocks {

  /** How long a call waits for a lock unless it says otherwise: 10 s. */
  public static final Duration DEFAULT_WAIT = Duration.ofSeconds(10);

  private static final int MAX_NAME_LENGTH = 255;

  /** After a rebuild every resource is refused; a few of them say as much as all. */
  private static final int MOST_RESTARTED = 20;

  private static final String UNRESERVED = "-_.~@:+,=";

  /** What ZooKeeper's lock nodes are told by, wherever in their names. */
  private static final List<String> LOCK_NODES = List.of("lock-", "__READ__", "__WRIT__");

  /** A mutex and how many hold it or wait for it. */
  private record Shared(InterProcessFencedMutex mutex, int users) {}

  private final CuratorFramework client;
  private final String root;
  private final Duration wait;
  private final HoldEvents events;
  private final Map<String, Shared> mutexes = new ConcurrentHashMap<>();
  private final Map<String, FencedLeader> leaders = new ConcurrentHashMap<>();
  private final Map<String, RestartedTokens> restarted = new ConcurrentHashMap<>();

  /**
   * Makes the registry, with the default wait and no listeners. Does no I/O.
   *
   * @param client a started client
   * @param root the path that all locks are under, such as {@code /fencing}
   * @throws IllegalArgumentException if {@code root} is not a valid ZooKeeper path
   * @throws IllegalStateException if the client is not started
   */
  public FencedLocks(CuratorFramework client, String root) {
    this(client, root, DEFAULT_WAIT, List.of());
  }

  /**
   * Makes the registry. Does no I/O.
   *
   * @param client as above
   * @param root as above
   * @param wait how long a call waits for a lock unless it says otherwise; zero: not at all
   * @param listeners are told in this order
   * @throws IllegalArgumentException if {@code root} is not a valid path or {@code wait} negative
   * @throws IllegalStateException as above
   */
  public FencedLocks(
      CuratorFramework client, String root, Duration wait, List<FencedLockListener> listeners) {
    this.client = Objects.requireNonNull(client, "client");
    this.root = PathUtils.validatePath(root);
    this.wait = requireWait(wait);
    this.events = new HoldEvents(listeners);
    if (client.getState() == CuratorFrameworkState.LATENT) {
      throw new IllegalStateException(
          "the CuratorFramework is not started: start it where it is made, as by @Bean(initMethod = \"start\", destroyMethod = \"close\")");
    }
  }

  static Duration requireWait(Duration wait) {
    if (wait.isNegative()) {
      throw new IllegalArgumentException("a wait must be 0 or longer but is " + wait);
    }
    return wait;
  }

  /**
   * Returns the name of a resource of one kind: {@code account/17} for {@code "account", 17}.
   *
   * <p>The value is encoded as in {@link Fenced#value()}, so that it cannot be more than one part
   * of the path, and two values never give one name.
   *
   * @throws IllegalArgumentException if the value is null, empty or no valid Unicode, or has no
   *     text of its own, as an array
   */
  public static String resource(String kind, @Nullable Object value) {
    return kind + "/" + encoded(value, kind);
  }

  static String encoded(@Nullable Object value, String where) {
    String text = value == null ? "" : value.toString();
    if (text.isEmpty()) {
      throw new IllegalArgumentException(
          "the name of a resource of \"%s\" would end in %s; every lock needs a name"
              .formatted(where, value == null ? "null" : "an empty string"));
    }
    if (value != null && text.indexOf('@') > 0 && text.equals(identity(value))) {
      throw new IllegalArgumentException(
          "the name of a resource of \"%s\" would end in %s, another one for every object, so that nobody would be kept out: a %s has no toString() of its own. Name what it stands for, such as its id"
              .formatted(where, text, value.getClass().getTypeName()));
    }
    StringBuilder name = new StringBuilder(text.length());
    text.codePoints().forEach(c -> append(name, c, where));
    String encoded = name.toString();
    if (encoded.equals(".") || encoded.equals("..")) {
      return encoded.replace(".", "%2E");
    }
    return encoded
        .replace("lock-", "lock%2D")
        .replace("__READ__", "%5F_READ__")
        .replace("__WRIT__", "%5F_WRIT__");
  }

  /** What {@link Object#toString} gives. */
  private static String identity(Object value) {
    return value.getClass().getName() + "@" + Integer.toHexString(value.hashCode());
  }

  private static void append(StringBuilder name, int c, String where) {
    // ZooKeeper refuses what is not in the basic plane, letters too.
    boolean plain = Character.isBmpCodePoint(c) && Character.isLetterOrDigit(c);
    if (plain || UNRESERVED.indexOf(c) >= 0) {
      name.appendCodePoint(c);
      return;
    }
    if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
      throw new IllegalArgumentException(
          "the name of a resource of \"%s\" has half a character in it (\\u%04X)"
              .formatted(where, c));
    }
    for (byte b : Character.toString(c).getBytes(StandardCharsets.UTF_8)) {
      name.append("%%%02X".formatted(b));
    }
  }

  /**
   * Returns the path of a resource's lock.
   *
   * @throws IllegalArgumentException if the name is empty, longer than 255 characters, has a part
   *     that is empty, {@code .} or {@code ..}, or a control character, or a part below the first
   *     with {@code lock-}, {@code __READ__} or {@code __WRIT__} in it: the lock above would wait
   *     for it as for a contender
   */
  public String lockPath(String resource) {
    if (resource.codePointCount(0, resource.length()) > MAX_NAME_LENGTH) {
      throw new IllegalArgumentException(
          "the name of a resource must have 1 to %d characters but has %d: %s…"
              .formatted(
                  MAX_NAME_LENGTH,
                  resource.codePointCount(0, resource.length()),
                  resource.substring(0, 40)));
    }
    int below = resource.indexOf('/');
    for (String mark : LOCK_NODES) {
      if (below >= 0 && resource.indexOf(mark, below) >= 0) {
        throw new IllegalArgumentException(
            "\"%s\" is no name of a resource, because a part of it has \"%s\" in it, as ZooKeeper's lock nodes: who locks a name above would wait for it for ever. Write it in another way"
                .formatted(resource, mark));
      }
    }
    try {
      return PathUtils.validatePath(root.equals("/") ? root + resource : root + "/" + resource);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "\"%s\" is no name of a resource, because it is no path under %s: %s. Encode values with FencedLocks.resource(kind, value)"
              .formatted(resource, root, e.getMessage()),
          e);
    }
  }

  /** How long a call waits for a lock unless it says otherwise. */
  public Duration defaultWait() {
    return wait;
  }

  /** Acquires a lock within a time, for the runner, which wraps what is thrown. */
  HeldLock acquire(String resource, Duration wait) throws Exception {
    String path = lockPath(resource);
    long start = System.nanoTime();
    InterProcessFencedMutex mutex = enter(path);
    try {
      var lease =
          mutex
              .acquireLease(wait)
              .orElseThrow(
                  () -> new TimeoutException("%s was busy for %s".formatted(path, inWords(wait))));
      events.acquired(resource, lease.token(), start);
      return new HeldLock(resource, lease, events, () -> leave(path));
    } catch (Exception e) {
      leave(path);
      events.unavailable(resource, start, e);
      throw e;
    }
  }

  private static String inWords(Duration wait) {
    return wait.toMillis() % 1000 == 0 ? wait.toSeconds() + " s" : wait.toMillis() + " ms";
  }

  private InterProcessFencedMutex enter(String path) {
    return Objects.requireNonNull(
            mutexes.compute(
                path,
                (key, shared) ->
                    shared == null
                        ? new Shared(new InterProcessFencedMutex(client, key), 1)
                        : new Shared(shared.mutex, shared.users + 1)))
        .mutex;
  }

  private void leave(String path) {
    mutexes.computeIfPresent(
        path,
        (key, shared) -> shared.users == 1 ? null : new Shared(shared.mutex, shared.users - 1));
  }

  /** Who holds and waits for a lock, in this order: what each has said about itself. */
  List<String> participants(String resource) throws Exception {
    String path = lockPath(resource);
    InterProcessFencedMutex mutex = enter(path);
    try {
      return Participants.of(client, mutex);
    } finally {
      leave(path);
    }
  }

  CuratorFramework client() {
    return client;
  }

  HoldEvents events() {
    return events;
  }

  /** Registers a leader, of whom there may be one for each path. */
  void claim(FencedLeader leader) {
    FencedLeader other = leaders.putIfAbsent(leader.resource(), leader);
    if (other != null && other != leader) {
      throw new IllegalStateException(
          "there are two FencedLeader beans for the lock path %s: one process is one candidate, and the second would wait for the first. Give both jobs to one leader, or name another resource"
              .formatted(lockPath(leader.resource())));
    }
  }

  Optional<FencedLeader> leader(String resource) {
    return Optional.ofNullable(leaders.get(resource));
  }

  List<FencedLeader> leaders() {
    return List.copyOf(leaders.values());
  }

  /** Notes that a lock which is held gave a lower token than the fence has from the same path. */
  void tokensRestarted(RestartedTokens found) {
    if (restarted.size() < MOST_RESTARTED) {
      restarted.put(found.resource(), found);
    }
  }

  void tokenAccepted(String resource) {
    if (!restarted.isEmpty()) {
      restarted.remove(resource);
    }
  }

  List<RestartedTokens> restarted() {
    return List.copyOf(restarted.values());
  }
}
