package dev.fencing.examples.comparison.arm;

/** What is written: a number in a row, which each transaction reads and writes anew. */
public enum Workload {
  /** Deposits to accounts. */
  ACCOUNTS("account", "balance", 1),
  /** Coupons that are taken from a stock. */
  COUPONS("coupon_stock", "coupons", -1);

  /** What each row holds in the beginning. */
  public static final long OPENING = 1_000_000_000;

  private final String table;
  private final String column;
  private final int sign;

  Workload(String table, String column, int sign) {
    this.table = table;
    this.column = column;
    this.sign = sign;
  }

  public String table() {
    return table;
  }

  public String column() {
    return column;
  }

  /** 1 if transactions add to the rows, -1 if they take from them. */
  public int sign() {
    return sign;
  }

  /** A row of one worker alone, for its warm-up. */
  public String warmUpRow(int worker) {
    return "warm-up-" + worker;
  }

  /** The row of this number. */
  public String row(int number) {
    return table + "-" + number;
  }
}
