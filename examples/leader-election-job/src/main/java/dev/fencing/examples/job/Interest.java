package dev.fencing.examples.job;

/**
 * The interest of one month: 0.25 percent of the balance at the cut-off date.
 *
 * <p>Exact arithmetic in whole cents. A result that lies half-way between two cents is rounded to
 * the even one, each account for itself.
 */
public final class Interest {

  /** Hundredths of a percent. */
  public static final long BASIS_POINTS = 25;

  private static final long ONE = 10_000;

  private Interest() {}

  /**
   * Returns the interest on {@code cents}.
   *
   * @param cents balance at the cut-off date, 0 to {@link Money#MAX_CENTS}
   */
  public static long of(long cents) {
    long scaled = Math.multiplyExact(cents, BASIS_POINTS);
    long whole = scaled / ONE;
    long rest = scaled % ONE;
    boolean up = rest * 2 > ONE || (rest * 2 == ONE && whole % 2 == 1);
    return up ? whole + 1 : whole;
  }
}
