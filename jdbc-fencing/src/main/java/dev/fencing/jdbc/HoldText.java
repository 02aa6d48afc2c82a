package dev.fencing.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.net.URLEncoder;
import org.jspecify.annotations.Nullable;

/**
 * A hold as one line of ASCII, which goes from the process that raised it to those that share it.
 */
record HoldText(String resource, FenceRow raised) {

  private static final String FORM = "fence1";

  static String of(String resource, FenceRow raised) {
    return String.join(
        ":",
        FORM,
        Long.toString(raised.generation()),
        Long.toString(raised.token()),
        Long.toHexString(raised.raiseId()),
        URLEncoder.encode(resource, UTF_8));
  }

  /**
   * @throws IllegalArgumentException if it is not what {@link #of} returns
   */
  static HoldText parse(String text) {
    String[] parts = text.split(":", -1);
    try {
      if (parts.length == 5 && parts[0].equals(FORM)) {
        return new HoldText(
            Settings.requireResource(URLDecoder.decode(parts[4], UTF_8)),
            new FenceRow(
                Long.parseLong(parts[1]),
                Long.parseLong(parts[2]),
                Long.parseUnsignedLong(parts[3], 16),
                null,
                null));
      }
    } catch (IllegalArgumentException e) {
      throw noText(e);
    }
    throw noText(null);
  }

  /** The text is not repeated: it may be the secret of another hold, cut short. */
  private static IllegalArgumentException noText(@Nullable Throwable cause) {
    return new IllegalArgumentException(
        "this is not what FencedResource.toText() returns, which begins with \"%s:\" and has 5 parts"
            .formatted(FORM),
        cause);
  }
}
