package dev.fencing.curator;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.HexFormat;
import java.util.Objects;
import java.util.regex.Pattern;
import org.apache.zookeeper.common.PathUtils;

/**
 * A fencing token together with the lock that gave it, as a value that travels with a request.
 *
 * <p>The number alone says nothing: tokens of two locks, or of two ensembles, cannot be compared.
 * So this is not {@link Comparable}; a {@link FencedRegister} compares tokens of one lock path. The
 * lock path is the one that was given to the mutex, without the client's namespace: locks of two
 * namespaces or two ensembles that guard things of one service need different paths, or registers
 * of their own.
 *
 * <p>{@link #toString()} is its text form, one line of visible ASCII that fits into an HTTP header,
 * for example {@code 25769803790@/locks/ledger}; {@link #parse} reads it. The form is stable:
 *
 * <pre>
 * text  = token "@" path
 * token = a decimal number from 1 to 9223372036854775807, without leading zeros or a sign
 * path  = the lock path in UTF-8, every octet other than A-Z a-z 0-9 - . _ ~ /
 *         written as "%" and two digits of 0-9 A-F
 * </pre>
 *
 * <p>There is one text for each value. It is at most {@code 20 + 9 * lockPath.length()} characters
 * long, as many as there are in the path plus 20 if it needs no escapes.
 *
 * <p>Immutable and thread-safe.
 *
 * @param lockPath the path of the lock, a valid ZooKeeper path
 * @param token the fencing token, greater than 0
 */
public record FencingToken(String lockPath, long token) {

  private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,18}");
  private static final String UNESCAPED = "-._~/";
  private static final HexFormat HEX = HexFormat.of().withUpperCase();
  private static final int LONGEST_QUOTE = 60;

  /**
   * Makes a token from its parts.
   *
   * @throws IllegalArgumentException if {@code lockPath} is not a valid ZooKeeper path or {@code
   *     token} is not greater than 0
   */
  public FencingToken {
    Objects.requireNonNull(lockPath, "lockPath");
    PathUtils.validatePath(lockPath);
    if (token <= 0) {
      throw new IllegalArgumentException("a fencing token is greater than 0, this one is " + token);
    }
  }

  /** Returns the token of a lease, whether it is live or not. Does not block and does no I/O. */
  public static FencingToken of(FencedLease lease) {
    return new FencingToken(lease.lockPath(), lease.token());
  }

  /**
   * Reads the text form. Accepts exactly what {@link #toString()} writes and nothing else, so that
   * nobody has to guess what a damaged header meant.
   *
   * @throws IllegalArgumentException if {@code text} is anything else; the message has the text,
   *     shortened and safe to log, and what is wrong with it
   */
  public static FencingToken parse(String text) {
    int at = text.indexOf('@');
    if (at < 0) {
      throw malformed(text, "it has no @ between the token and the lock path");
    }
    long token;
    try {
      token = NUMBER.matcher(text.substring(0, at)).matches() ? Long.parseLong(text, 0, at, 10) : 0;
    } catch (NumberFormatException tooLarge) {
      token = 0;
    }
    if (token == 0) {
      throw malformed(text, "before the @ is no plain number from 1 to " + Long.MAX_VALUE);
    }
    FencingToken parsed;
    try {
      parsed = new FencingToken(unescape(text.substring(at + 1)), token);
    } catch (IllegalArgumentException e) {
      // Not as cause: its message would bring the raw text into the log.
      throw malformed(text, "behind the @ is no percent-encoded ZooKeeper path");
    }
    if (!parsed.toString().equals(text)) {
      throw malformed(text, "it is written differently from " + quote(parsed.toString()));
    }
    return parsed;
  }

  /** Returns the text form, which {@link #parse} reads: one line of visible ASCII. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder().append(token).append('@');
    for (byte octet : lockPath.getBytes(UTF_8)) {
      if (isUnescaped(octet)) {
        text.append((char) octet);
      } else {
        text.append('%').append(HEX.toHexDigits(octet));
      }
    }
    return text.toString();
  }

  private static boolean isUnescaped(byte octet) {
    return (octet >= 'A' && octet <= 'Z')
        || (octet >= 'a' && octet <= 'z')
        || (octet >= '0' && octet <= '9')
        || UNESCAPED.indexOf(octet) >= 0;
  }

  private static String unescape(String path) {
    ByteArrayOutputStream octets = new ByteArrayOutputStream(path.length());
    for (int i = 0; i < path.length(); i++) {
      if (path.charAt(i) != '%') {
        octets.writeBytes(String.valueOf(path.charAt(i)).getBytes(UTF_8));
      } else if (i + 2 < path.length()) {
        octets.write(HexFormat.fromHexDigits(path, i + 1, i + 3));
        i += 2;
      } else {
        throw new IllegalArgumentException("cut off behind a %");
      }
    }
    return octets.toString(UTF_8);
  }

  private static IllegalArgumentException malformed(String text, String why) {
    return new IllegalArgumentException(
        "this is no fencing token: %s (%s); a token looks like 25769803790@/locks/ledger"
            .formatted(quote(text), why));
  }

  private static String quote(String text) {
    String visible =
        text.substring(0, Math.min(text.length(), LONGEST_QUOTE)).replaceAll("[^!-~]", "?");
    return text.length() <= LONGEST_QUOTE
        ? '"' + visible + '"'
        : "\"%s...\", %d characters".formatted(visible, text.length());
  }
}
