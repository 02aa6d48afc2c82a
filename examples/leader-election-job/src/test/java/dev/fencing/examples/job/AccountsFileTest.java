package dev.fencing.examples.job;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AccountsFileTest {

  private final Path file;

  AccountsFileTest(@TempDir Path directory) {
    file = directory.resolve("a.csv");
  }

  @Test
  void tenThousandAccountsAreShipped() {
    List<OpeningBalance> accounts = AccountsFile.shipped();

    assertThat(accounts).hasSize(10_000).doesNotHaveDuplicates();
    assertThat(accounts.get(0)).isEqualTo(new OpeningBalance("A-00001", 2_139_773));
    assertThat(accounts).anySatisfy(account -> assertThat(account.cents()).isZero());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "account,balance\nÄ-1,1.50\nB_2.x,0\n",
        "account,balance\r\nÄ-1,1.50\r\nB_2.x,0\r\n",
        "\uFEFFaccount,balance\nÄ-1,1.50\nB_2.x,0"
      })
  void readsAccountsInTheOrderOfTheFile(String text) throws IOException {
    Files.writeString(file, text);

    assertThat(AccountsFile.read(file))
        .containsExactly(new OpeningBalance("Ä-1", 150), new OpeningBalance("B_2.x", 0));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "account;balance|line 1: \"account;balance\" is not the header account,balance",
        "A,1|line 1: \"A,1\" is not the header account,balance",
        "H/A,1/B|line 3: expected 2 fields (account,balance), found 1: \"B\"",
        "H/A,1,2|line 2: expected 2 fields (account,balance), found 3: \"A,1,2\"",
        "H/A,1//B,2|line 3: the line is blank",
        "H/A,1/B,2/|line 4: the line is blank",
        "H/A,1/A,2|line 3: account A is already on line 2",
        "H/A,1/B,-2|line 3: the amount -2 is negative",
        "H/A,1/B,ten|line 3: \"ten\" is no amount between 0.00 and 9,999,999,999.99",
        "H/A,|line 2: \"\" is no amount between 0.00 and 9,999,999,999.99",
        "H/,1|line 2: \"\" is no account name (1 to 40 letters, digits, '.', '-', '_')",
        "H/A B,1|line 2: \"A B\" is no account name (1 to 40 letters, digits, '.', '-', '_')"
      })
  void namesTheLineAndTheFault(String lines, String fault) throws IOException {
    Files.writeString(file, lines.replace("H", "account,balance").replace("/", "\n") + "\n");

    assertRefused(file + " " + fault);
  }

  @Test
  void aMissingFileIsNamed() {
    assertRefused(file + " does not exist");
  }

  @Test
  void aDirectoryIsNoAccountsFile() throws IOException {
    Files.createDirectory(file);

    assertRefused(file + " is a directory, not an accounts file");
  }

  @Test
  void anEmptyFileIsRefused() throws IOException {
    Files.writeString(file, "");

    assertRefused(file + " is empty; its first line must be account,balance");
  }

  @Test
  void aHeaderAloneIsRefused() throws IOException {
    Files.writeString(file, "account,balance\n");

    assertRefused(file + " has a header but no accounts");
  }

  @Test
  void bytesThatAreNotUtf8AreRefusedWithTheirLine() throws IOException {
    Files.write(file, "account,balance\nA,1\nÄ,2\n".getBytes(ISO_8859_1));

    assertRefused(file + " line 3: the bytes are not UTF-8 text");
  }

  @Test
  void aCharacterCutOffAtTheEndIsRefused() throws IOException {
    byte[] text = "account,balance\nA,1€".getBytes(UTF_8);
    Files.write(file, Arrays.copyOf(text, text.length - 1));

    assertRefused(file + " line 2: the bytes are not UTF-8 text");
  }

  @Test
  void aLongLineIsQuotedOnlyInPart() throws IOException {
    Files.writeString(file, "account,balance\n" + "x".repeat(100_000) + "\n");

    assertThatThrownBy(() -> AccountsFile.read(file))
        .isInstanceOf(AccountsFileException.class)
        .message()
        .hasSizeLessThan(400);
  }

  @Test
  void tooManyAccountsAreRefused() throws IOException {
    Files.writeString(file, "account,balance\n" + "A,1\n".repeat(AccountsFile.MAX_ACCOUNTS + 1));

    assertRefused(file + " has 100,001 accounts; at most 100,000 are accepted");
  }

  private void assertRefused(String message) {
    assertThatThrownBy(() -> AccountsFile.read(file))
        .isInstanceOf(AccountsFileException.class)
        .hasMessage(message);
  }
}
