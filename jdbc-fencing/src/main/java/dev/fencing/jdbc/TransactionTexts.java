package dev.fencing.jdbc;

import java.sql.SQLException;
import java.util.regex.Pattern;

/** What the text of a statement would do to the transaction it is run in. */
final class TransactionTexts {

  /** Texts by which a read-only transaction, which is not checked, becomes one that writes. */
  private static final Pattern MAKES_WRITING =
      Pattern.compile(
          "\\bset\\s+(session|global|local|transaction)\\b[^;]*\\bread\\s+write\\b"
              + "|\\b(default_)?(transaction|tx)_read_only\\b",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern TOGETHER =
      Pattern.compile("^\\s*(insert|update|delete|merge|with|select)\\b", Pattern.CASE_INSENSITIVE);

  private TransactionTexts() {}

  /** Refuses a text that would end a fenced transaction, or begin one past the check. */
  static void look(EndingStatement.Rules rules, String sql, FollowedTransaction transaction)
      throws SQLException {
    if (MAKES_WRITING.matcher(sql).find()) {
      if (transaction.isFenced()) {
        throw new SQLException(
            "a text that makes a read-only transaction one that writes (READ WRITE, or a setting such as transaction_read_only) is refused on a fenced connection, because a read-only transaction is not checked. It was not run. Call setReadOnly(false) between two transactions",
            GuardedConnection.REFUSED);
      }
      transaction.readOnly().distrust();
    }
    String keyword = EndingStatement.refused(rules, sql);
    if (keyword == null) {
      return;
    }
    if (transaction.isFenced()) {
      throw EndingStatement.refusal(keyword, transaction);
    }
    if (EndingStatement.CONTROL.contains(keyword)) {
      transaction.foreign();
    }
  }

  /** Whether it is one statement that reads or writes rows, and ends as it begins. */
  static boolean mayGoTogether(EndingStatement.Rules rules, String sql) {
    return TOGETHER.matcher(sql).find()
        && sql.indexOf(';') < 0
        && EndingStatement.refused(rules, sql) == null;
  }
}
