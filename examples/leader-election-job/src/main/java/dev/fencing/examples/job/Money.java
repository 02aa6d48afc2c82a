package dev.fencing.examples.job;

import java.util.Locale;
import java.util.regex.Pattern;

/** Amounts of money: whole cents in a {@code long}, and their text forms. */
public final class Money {

  /** The largest amount that is accepted, so that sums of them fit a long. */
  public static final long MAX_CENTS = 999_999_999_999L;

  private static final Pattern AMOUNT = Pattern.compile("(-?)(\\d{1,10})(?:\\.(\\d{1,2}))?");

  private Money() {}

  /**
   * Reads an amount such as 12, 12.5 or 12.50.
   *
   * @return cents, 0 to {@link #MAX_CENTS}
   * @throws IllegalArgumentException if the text is no such amount; the message says why
   */
  public static long parse(String text) {
    var amount = AMOUNT.matcher(text);
    if (!amount.matches()) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is no amount between 0.00 and " + format(MAX_CENTS));
    }
    if (!amount.group(1).isEmpty()) {
      throw new IllegalArgumentException("the amount " + text + " is negative");
    }
    String fraction = amount.group(3) == null ? "00" : (amount.group(3) + "0").substring(0, 2);
    return Long.parseLong(amount.group(2)) * 100 + Long.parseLong(fraction);
  }

  /** Returns {@code cents} as text with two decimal places, such as 1,234.50. */
  public static String format(long cents) {
    String sign = cents < 0 ? "-" : "";
    return String.format(
        Locale.ROOT, "%s%,d.%02d", sign, Math.abs(cents / 100), Math.abs(cents % 100));
  }
}
