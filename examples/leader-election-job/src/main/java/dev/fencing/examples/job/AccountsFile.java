package dev.fencing.examples.job;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Reads accounts and their balances at the cut-off date from a CSV file.
 *
 * <p>UTF-8, a first line {@code account,balance}, then one account a line, for example {@code
 * A-00001,1234.50}. No quotes, no blank lines. The whole file is checked before anything is
 * returned.
 */
public final class AccountsFile {

  /** The most accounts that one file may have. */
  public static final int MAX_ACCOUNTS = 100_000;

  private static final String HEADER = "account,balance";
  private static final String SHIPPED = "accounts.csv";
  private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}._-]{1,40}");

  private AccountsFile() {}

  /** Returns the 10,000 accounts that come with this example. */
  public static List<OpeningBalance> shipped() {
    try (InputStream in =
        Objects.requireNonNull(AccountsFile.class.getResourceAsStream(SHIPPED), SHIPPED)) {
      return parse(SHIPPED, in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the accounts of {@code file} in its order, at least one.
   *
   * @throws AccountsFileException if the file is missing, empty or malformed
   */
  public static List<OpeningBalance> read(Path file) {
    if (Files.isDirectory(file)) {
      throw new AccountsFileException(file + " is a directory, not an accounts file");
    }
    try {
      return parse(file.toString(), Files.readAllBytes(file));
    } catch (NoSuchFileException e) {
      throw new AccountsFileException(file + " does not exist");
    } catch (IOException e) {
      throw new AccountsFileException(file + " cannot be read: " + e.getMessage());
    }
  }

  private static List<OpeningBalance> parse(String name, byte[] bytes) {
    List<String> lines = lines(name, bytes);
    if (lines.isEmpty()) {
      throw new AccountsFileException(name + " is empty; its first line must be " + HEADER);
    }
    if (!lines.get(0).equals(HEADER)) {
      throw fault(name, 1, "\"" + excerpt(lines.get(0)) + "\" is not the header " + HEADER);
    }
    if (lines.size() == 1) {
      throw new AccountsFileException(name + " has a header but no accounts");
    }
    if (lines.size() - 1 > MAX_ACCOUNTS) {
      throw new AccountsFileException(
          "%s has %,d accounts; at most %,d are accepted"
              .formatted(name, lines.size() - 1, MAX_ACCOUNTS));
    }
    List<OpeningBalance> accounts = new ArrayList<>(lines.size());
    Map<String, Integer> seen = new HashMap<>();
    for (int number = 2; number <= lines.size(); number++) {
      OpeningBalance account = account(name, number, lines.get(number - 1));
      Integer earlier = seen.putIfAbsent(account.account(), number);
      if (earlier != null) {
        throw fault(
            name, number, "account " + account.account() + " is already on line " + earlier);
      }
      accounts.add(account);
    }
    return accounts;
  }

  private static OpeningBalance account(String name, int number, String line) {
    if (line.isBlank()) {
      throw fault(name, number, "the line is blank");
    }
    String[] fields = line.split(",", -1);
    if (fields.length != 2) {
      throw fault(
          name,
          number,
          "expected 2 fields (%s), found %d: \"%s\""
              .formatted(HEADER, fields.length, excerpt(line)));
    }
    if (!NAME.matcher(fields[0]).matches()) {
      throw fault(
          name,
          number,
          "\"%s\" is no account name (1 to 40 letters, digits, '.', '-', '_')"
              .formatted(excerpt(fields[0])));
    }
    try {
      return new OpeningBalance(fields[0], Money.parse(fields[1]));
    } catch (IllegalArgumentException e) {
      throw fault(name, number, String.valueOf(e.getMessage()));
    }
  }

  private static List<String> lines(String name, byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(bytes.length);
    // A decoder of its own, because it reports bad bytes instead of replacing them.
    if (StandardCharsets.UTF_8.newDecoder().decode(in, out, true).isError()) {
      int line = 1;
      for (int i = 0; i < in.position(); i++) {
        line += bytes[i] == '\n' ? 1 : 0;
      }
      throw fault(name, line, "the bytes are not UTF-8 text");
    }
    String text = out.flip().toString();
    return (text.startsWith("\uFEFF") ? text.substring(1) : text).lines().toList();
  }

  private static String excerpt(String text) {
    return text.length() <= 120 ? text : text.substring(0, 120) + "…";
  }

  private static AccountsFileException fault(String name, int line, String what) {
    return new AccountsFileException(name + " line " + line + ": " + excerpt(what));
  }
}
