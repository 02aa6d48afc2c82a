package dev.fencing.jdbc;

import java.sql.SQLException;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds statements in SQL text that would end the transaction they run in, in front of the server.
 *
 * <p>Against mistakes, not malice: it knows comments, quotes and several statements in one text,
 * but not what a procedure does.
 */
final class EndingStatement {

  /**
   * What one kind of database takes for a quote or a comment, and what ends a transaction there.
   */
  enum Rules {
    POSTGRESQL {
      @Override
      boolean refuses(String first, EndingStatement rest) {
        return switch (first) {
          case "COMMIT", "END", "ABORT", "BEGIN", "START" -> true;
          case "ROLLBACK" -> !rest.rollsBackToSavepoint();
          case "PREPARE" -> rest.word().equals("TRANSACTION");
          default -> false;
        };
      }
    },
    /** DDL and much else commits by itself, so that only what does not is let through. */
    MYSQL {
      @Override
      boolean refuses(String first, EndingStatement rest) {
        return switch (first) {
          case "CREATE", "DROP" -> !rest.word().equals("TEMPORARY");
          case "LOAD" -> !Set.of("DATA", "XML").contains(rest.word());
          case "ROLLBACK" -> !rest.rollsBackToSavepoint();
          case "SET" -> rest.setRefused();
          default -> !PLAIN.contains(first) && !MYSQL_ONLY.contains(first);
        };
      }
    },
    H2 {
      @Override
      boolean refuses(String first, EndingStatement rest) {
        return switch (first) {
          case "ROLLBACK" -> !rest.rollsBackToSavepoint();
          case "SET" ->
              !Set.of("", "LOCK_TIMEOUT", "SCHEMA", "QUERY_TIMEOUT").contains(rest.word());
          default -> !PLAIN.contains(first) && !H2_ONLY.contains(first);
        };
      }
    };

    abstract boolean refuses(String first, EndingStatement rest);
  }

  private static final Set<String> PLAIN =
      Set.of(
          "",
          "SELECT",
          "INSERT",
          "UPDATE",
          "DELETE",
          "REPLACE",
          "WITH",
          "VALUES",
          "TABLE",
          "SHOW",
          "EXPLAIN",
          "SAVEPOINT",
          "RELEASE",
          "CALL");

  private static final Set<String> MYSQL_ONLY =
      Set.of("DESCRIBE", "DESC", "DO", "HANDLER", "GET", "SIGNAL", "USE", "DEALLOCATE", "PREPARE");

  private static final Set<String> H2_ONLY = Set.of("MERGE", "FROM", "USE");

  /** Of those that are refused: what begins or ends a transaction, and does nothing else. */
  static final Set<String> CONTROL =
      Set.of("BEGIN", "START", "COMMIT", "END", "ABORT", "ROLLBACK", "PREPARE", "SET", "XA");

  private final Rules rules;
  private final String sql;
  private int at;

  private EndingStatement(Rules rules, String sql) {
    this.rules = rules;
    this.sql = sql;
  }

  /** Returns the keyword of the first statement that is refused, null if all may run. */
  static @Nullable String refused(Rules rules, String sql) {
    if (isPlain(sql)) {
      return null;
    }
    EndingStatement text = new EndingStatement(rules, sql);
    while (text.at < sql.length()) {
      String first = text.word();
      if (rules.refuses(first, text)) {
        return first;
      } else if (first.isEmpty() && rules != Rules.POSTGRESQL && !text.isAtItsEnd()) {
        return sql.substring(text.at, text.at + 1); // Nothing that is known begins so.
      }
      text.skipStatement();
    }
    return null;
  }

  static SQLException refusal(String keyword, Object transaction) {
    return new SQLException(
        "a statement that begins with %s is refused inside the fenced transaction of %s: it would end the transaction, or commit it by itself, and what follows would run unchecked. Run it outside of fenced work"
            .formatted(keyword, transaction),
        GuardedConnection.REFUSED);
  }

  /** The common case, without making anything: one statement that reads or writes rows. */
  private static boolean isPlain(String sql) {
    return (sql.regionMatches(true, 0, "SELECT ", 0, 7)
            || sql.regionMatches(true, 0, "INSERT ", 0, 7)
            || sql.regionMatches(true, 0, "UPDATE ", 0, 7)
            || sql.regionMatches(true, 0, "DELETE ", 0, 7))
        && sql.indexOf(';') < 0;
  }

  /** Behind ROLLBACK. */
  private boolean rollsBackToSavepoint() {
    String next = word();
    return next.equals("TO")
        || ((next.equals("WORK") || next.equals("TRANSACTION")) && word().equals("TO"));
  }

  /** Behind SET of MySQL and MariaDB, with its list of assignments or the statement it is for. */
  private boolean setRefused() {
    // However it is quoted. The mode decides how quotes are read.
    String rest = sql.substring(at).toUpperCase(Locale.ROOT);
    String next = word();
    if (next.equals("PASSWORD")
        || next.equals("DEFAULT")
        || rest.contains("AUTOCOMMIT")
        || rest.contains("SQL_MODE")) {
      return true;
    }
    boolean forStatement = next.equals("STATEMENT");
    while (!atEnd() && sql.charAt(at) != ';') {
      if (forStatement && next.equals("FOR")) {
        return rules.refuses(word(), this);
      }
      if (!skipQuoted() && !isWordPart(sql.charAt(at))) {
        at++;
      }
      next = word();
    }
    return false;
  }

  /** The next word in upper case, empty if something else is next. */
  private String word() {
    skipBlank();
    int start = at;
    while (!atEnd() && isWordPart(sql.charAt(at))) {
      at++;
    }
    return sql.substring(start, at).toUpperCase(Locale.ROOT);
  }

  /** Over blanks, comments, and what may stand in front of a statement. */
  private void skipBlank() {
    while (!atEnd()) {
      char c = sql.charAt(at);
      if (sql.startsWith("/*!", at) || sql.startsWith("/*M!", at)) {
        at = sql.indexOf('!', at) + 1; // MySQL and MariaDB execute what is inside.
        while (!atEnd() && Character.isDigit(sql.charAt(at))) {
          at++;
        }
      } else if (sql.startsWith("*/", at)) {
        at += 2;
      } else if (Character.isWhitespace(c) || "(){?=".indexOf(c) >= 0) {
        at++;
      } else if (!skipComment()) {
        return;
      }
    }
  }

  /** Behind the next semicolon that is none of a quote or a comment. */
  private void skipStatement() {
    while (!atEnd()) {
      if (sql.charAt(at) == ';') {
        at++;
        return;
      }
      if (!skipComment() && !skipQuoted()) {
        at++;
      }
    }
  }

  private boolean skipComment() {
    boolean mysql = rules == Rules.MYSQL;
    boolean dashes =
        sql.startsWith("--", at) && (!mysql || at + 2 >= sql.length() || sql.charAt(at + 2) <= ' ');
    boolean slashes = rules == Rules.H2 && sql.startsWith("//", at);
    if (dashes || slashes || (mysql && sql.charAt(at) == '#')) {
      int end = sql.indexOf('\n', at);
      at = end < 0 ? sql.length() : end;
      return true;
    }
    if (!sql.startsWith("/*", at) || (mysql && executable())) {
      return false;
    }
    int depth = 0;
    do {
      if (sql.startsWith("/*", at) && (depth == 0 || !mysql)) {
        depth++;
        at += 2;
      } else if (sql.startsWith("*/", at)) {
        depth--;
        at += 2;
      } else {
        at++;
      }
    } while (depth > 0 && !atEnd());
    return true;
  }

  private boolean executable() {
    return sql.startsWith("!", at + 2) || sql.startsWith("M!", at + 2);
  }

  private boolean skipQuoted() {
    char quote = sql.charAt(at);
    if (quote == '$' && rules != Rules.MYSQL) {
      return skipDollarQuoted();
    }
    if (quote != '\'' && quote != '"' && (quote != '`' || rules != Rules.MYSQL)) {
      return false;
    }
    boolean escapes = (rules == Rules.MYSQL && quote != '`') || isEscapeString();
    at++;
    while (!atEnd() && sql.charAt(at) != quote) {
      at += escapes && sql.charAt(at) == '\\' ? 2 : 1; // A doubled quote opens again at once.
    }
    at = Math.min(sql.length(), at + 1);
    return true;
  }

  /** PostgreSQL's E'…'. */
  private boolean isEscapeString() {
    return rules == Rules.POSTGRESQL
        && at > 0
        && (sql.charAt(at - 1) == 'E' || sql.charAt(at - 1) == 'e')
        && (at == 1 || !isWordPart(sql.charAt(at - 2)));
  }

  private boolean skipDollarQuoted() {
    int end = at + 1;
    while (end < sql.length() && isWordPart(sql.charAt(end))) {
      end++;
    }
    boolean opens =
        end < sql.length()
            && sql.charAt(end) == '$'
            && (at == 0 || !isWordPart(sql.charAt(at - 1)))
            && !Character.isDigit(sql.charAt(at + 1));
    if (!opens) {
      return false;
    }
    String tag = sql.substring(at, end + 1);
    int close = sql.indexOf(tag, end + 1);
    at = close < 0 ? sql.length() : close + tag.length();
    return true;
  }

  private boolean isAtItsEnd() {
    return atEnd() || sql.charAt(at) == ';';
  }

  private boolean atEnd() {
    return at >= sql.length();
  }

  private static boolean isWordPart(char c) {
    return Character.isLetterOrDigit(c) || c == '_';
  }
}
