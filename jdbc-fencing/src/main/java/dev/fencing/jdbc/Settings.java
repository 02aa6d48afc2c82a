package dev.fencing.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a resource, a holder and a guard table may be called, and how long a wait may be set. */
final class Settings {

  private static final Pattern TABLE = Pattern.compile("([a-z_][a-z0-9_]*\\.)?[a-z_][a-z0-9_]*");

  private Settings() {}

  static String requireResource(String resource) {
    Objects.requireNonNull(resource, "the name of the fenced resource is null");
    if (resource.equals(CommonSql.SELF_TEST)) {
      throw new IllegalArgumentException(
          "the name \"" + resource + "\" is taken by the library's own self-test");
    }
    return require("the name of a fenced resource", resource, JdbcFence.MAX_RESOURCE_LENGTH);
  }

  static String requireHolder(String holder) {
    Objects.requireNonNull(holder, "the name of the holder is null");
    return require("the name of a holder", holder, JdbcFence.MAX_RESOURCE_LENGTH);
  }

  static void requireOrigin(@Nullable String origin) {
    if (origin != null) {
      require("the origin of a token", origin, JdbcFence.MAX_ORIGIN_LENGTH);
    }
  }

  static String requireOperationId(String id) {
    Objects.requireNonNull(id, "the id of the operation is null");
    return require("the id of an operation", id, JdbcFence.MAX_RESOURCE_LENGTH);
  }

  /** An identifier that needs no quoting, since it becomes part of the SQL. */
  static String requireTable(String table) {
    Objects.requireNonNull(table, "the name of the guard table is null");
    if (!TABLE.matcher(table).matches()) {
      throw new IllegalArgumentException(
          "the name of the guard table has lower-case letters, digits and underscores, with a schema and a dot in front if need be, but this one is \"%s\""
              .formatted(shown(table)));
    }
    return table;
  }

  /** Process id and host: enough to find who raised a fence. */
  static String defaultHolder() {
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      host = "an unknown host";
    }
    return "pid " + ProcessHandle.current().pid() + " on " + host;
  }

  static Duration requireTimeout(String name, Duration timeout) {
    if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException(
          name + " must be between 1 ms and 1 hour but is " + timeout);
    }
    return timeout;
  }

  private static String require(String what, String name, int longest) {
    int length = name.codePointCount(0, name.length());
    // Half a surrogate pair is no character, and a driver makes '?' of it.
    boolean encodable = UTF_8.newEncoder().canEncode(name);
    if (length == 0 || length > longest || name.indexOf('\0') >= 0 || !encodable) {
      throw new IllegalArgumentException(
          "%s has 1 to %d characters, no NUL and no half of a surrogate pair, but this one has %d: \"%s\""
              .formatted(what, longest, length, shown(name)));
    }
    return name;
  }

  private static String shown(String name) {
    String start = name.length() <= 40 ? name : name.substring(0, 40) + "…";
    return start.replace('\0', '?');
  }
}
