package dev.fencing.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What two holders have seen of one interleaving, beside the journal that each accepted write adds
 * to in its own transaction, with the version that it gave the row. So the writes are in order
 * without a clock.
 */
final class History {

  static final String JOURNAL =
      "CREATE TABLE journal (op varchar(20), token bigint, ver bigint, read_ver bigint,"
          + " old_value bigint, new_value bigint)";

  private record Read(long token, long version) {}

  private record Write(
      String op, long token, long version, long readVersion, long before, long after) {}

  private final List<Read> reads = new ArrayList<>();
  private final Set<String> acknowledged = new LinkedHashSet<>();
  private final Map<String, String> refused = new LinkedHashMap<>();
  private long highestRefused;
  private final List<Write> writes = new ArrayList<>();

  synchronized void read(long token, long version) {
    reads.add(new Read(token, version));
  }

  synchronized void acknowledged(String op) {
    acknowledged.add(op);
  }

  synchronized void refused(String op, long token, Exception why) {
    refused.put(op, String.valueOf(why.getMessage()));
    if (!isSerializationFailure(why)) {
      highestRefused = Math.max(highestRefused, token);
    }
  }

  /** The database's own refusal, after which a holder may try again. */
  static boolean isSerializationFailure(Throwable failure) {
    Throwable error = failure instanceof FencingException ? failure.getCause() : failure;
    return error instanceof SQLException refusal
        && ("40001".equals(refusal.getSQLState()) || refusal.getErrorCode() == 1020);
  }

  synchronized boolean isAccepted(String op) {
    return writes.stream().anyMatch(write -> write.op().equals(op));
  }

  /** Reads the journal and says what is wrong; empty if nothing is. */
  synchronized List<String> judge(Connection connection, long newest) throws SQLException {
    try (PreparedStatement select =
            connection.prepareStatement(
                "SELECT op, token, ver, read_ver, old_value, new_value FROM journal ORDER BY ver");
        ResultSet rows = select.executeQuery()) {
      while (rows.next()) {
        writes.add(
            new Write(
                rows.getString(1),
                rows.getLong(2),
                rows.getLong(3),
                rows.getLong(4),
                rows.getLong(5),
                rows.getLong(6)));
      }
    }
    List<String> wrong = new ArrayList<>();
    long version = 0;
    long value = 100;
    long token = 0;
    for (Write write : writes) {
      require(write.version() == version + 1, "C1 versions have no gap and no double", wrong);
      require(!refused.containsKey(write.op()), "C2 what was refused is not there", wrong);
      require(write.token() >= token, "C3 tokens never fall", wrong);
      require(
          write.readVersion() == version && write.before() == value, "C4 no update is lost", wrong);
      for (Read read : reads) {
        require(
            write.token() >= read.token() || write.version() <= read.version(),
            "C5 nothing lands past a read by a higher token",
            wrong);
      }
      version = write.version();
      value = write.after();
      token = write.token();
    }
    for (String op : acknowledged) {
      require(isAccepted(op), "C2 what was acknowledged is there", wrong);
    }
    require(highestRefused < newest, "C8 the newest holder is not refused", wrong);
    return wrong;
  }

  private static void require(boolean right, String rule, List<String> wrong) {
    if (!right && !wrong.contains(rule)) {
      wrong.add(rule);
    }
  }

  @Override
  public synchronized String toString() {
    return "reads %s, journal %s, acknowledged %s, refused %s"
        .formatted(reads, writes, acknowledged, refused);
  }
}
