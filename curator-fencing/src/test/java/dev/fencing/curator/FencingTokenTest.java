package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;

/** The token as a value and as a line of text. */
class FencingTokenTest {

  private static final String ODD = "/locks/it;a=b, \"100%\" @x\u00fc\u20ac\u3042/..c";

  @Test
  void textIsTheNumberAndThePath() {
    assertThat(new FencingToken("/locks/ledger", 25769803790L))
        .hasToString("25769803790@/locks/ledger");
    assertThat(new FencingToken("/", Long.MAX_VALUE)).hasToString("9223372036854775807@/");
    assertThat(new FencingToken("/az/AZ-._~09", 1)).hasToString("1@/az/AZ-._~09");
  }

  @Test
  void whatAHeaderCouldNotCarryIsPercentEncoded() {
    FencingToken token = new FencingToken(ODD, 33);

    assertThat(token)
        .hasToString("33@/locks/it%3Ba%3Db%2C%20%22100%25%22%20%40x%C3%BC%E2%82%AC%E3%81%82/..c");
    assertThat(FencingToken.parse(token.toString())).isEqualTo(token);
  }

  @Test
  void everyLegalCharacterSurvivesTheRoundTrip() {
    int legal = 0;
    for (int character = 0; character <= Character.MAX_VALUE; character++) {
      String path = "/a" + (char) character + "b";
      if (!isLegal(path)) {
        assertThatIllegalArgumentException().isThrownBy(() -> new FencingToken(path, 1));
        continue;
      }
      legal++;
      FencingToken token = new FencingToken(path, character + 1L);
      String text = token.toString();
      assertThat(text).matches("[!-~]+").hasSizeLessThanOrEqualTo(20 + 9 * path.length());
      assertThat(FencingToken.parse(text)).isEqualTo(token);
    }
    assertThat(legal).isGreaterThan(50_000);
  }

  private static boolean isLegal(String path) {
    try {
      PathUtils.validatePath(path);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  @Test
  void onlyAZooKeeperPathAndAPositiveNumberMakeAToken() {
    for (String path :
        List.of("", "locks", "/locks/", "/a//b", "/a/../b", "/a\nb", "/a\ud83d\ude00")) {
      assertThatIllegalArgumentException().isThrownBy(() -> new FencingToken(path, 1));
    }
    for (long number : new long[] {0, -1, Long.MIN_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new FencingToken("/a", number))
          .withMessageContaining("greater than 0")
          .withMessageContaining(Long.toString(number));
    }
  }

  @Test
  void anythingElseIsRefusedWithTheTextAndTheReason() {
    String number = "before the @ is no plain number from 1 to 9223372036854775807";
    String path = "behind the @ is no percent-encoded ZooKeeper path";
    Map<String, String> wrong =
        Map.ofEntries(
            Map.entry("", "no @"),
            Map.entry("33", "no @"),
            Map.entry("/locks/ledger", "no @"),
            Map.entry("@", number),
            Map.entry("@/a", number),
            Map.entry("0@/a", number),
            Map.entry("-1@/a", number),
            Map.entry("+1@/a", number),
            Map.entry("01@/a", number),
            Map.entry("1 @/a", number),
            Map.entry(" 1@/a", number),
            Map.entry("0x1F@/a", number),
            Map.entry("\u0663@/a", number),
            Map.entry("9223372036854775808@/a", number),
            Map.entry("99999999999999999999@/a", number),
            Map.entry("1@", path),
            Map.entry("1@a", path),
            Map.entry("1@/a/", path),
            Map.entry("1@/a//b", path),
            Map.entry("1@/a/..", path),
            Map.entry("1@/a%", path),
            Map.entry("1@/a%4", path),
            Map.entry("1@/a%4g", path),
            Map.entry("1@/a%-1", path),
            Map.entry("1@/a%00", path),
            Map.entry("1@/a%0A", path),
            Map.entry("1@/a\r\nX: y", path),
            Map.entry("1@/a%FF", path),
            Map.entry("1@/a%C3", path),
            Map.entry("1@/a b", "differently from \"1@/a%20b\""),
            Map.entry("1@/a ", "differently from \"1@/a%20\""),
            Map.entry("1@/a%41", "differently from \"1@/aA\""),
            Map.entry("1@/a%2fb", "differently from \"1@/a/b\""),
            Map.entry("1@/a%c3%bc", "differently from \"1@/a%C3%BC\""),
            Map.entry("1@/a\u00fc", "differently from \"1@/a%C3%BC\""),
            Map.entry("1@/a@b", "differently from \"1@/a%40b\""),
            Map.entry("1@/a,2@/b", "differently from \"1@/a%2C2%40/b\""));

    wrong.forEach(
        (text, reason) ->
            assertThatIllegalArgumentException()
                .as(text)
                .isThrownBy(() -> FencingToken.parse(text))
                .withMessageStartingWith("this is no fencing token: \"")
                .withMessageContaining('"' + text.replaceAll("[^!-~]", "?") + '"')
                .withMessageContaining(reason)
                .withMessageMatching("[ -~]+")
                .withNoCause());
  }

  @Test
  void aLongTextIsShortenedInTheMessage() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FencingToken.parse("x".repeat(10_000)))
        .withMessageContaining("\"" + "x".repeat(60) + "...\", 10000 characters")
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(250));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FencingToken.parse("1@/" + "a b".repeat(10_000)))
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(350));
  }

  @Test
  void damagedTextsAreReadAsThemselvesOrRefused() {
    Random random = new Random(1);
    String text = new FencingToken(ODD, 25769803790L).toString();
    int refused = 0;
    for (int round = 0; round < 20_000; round++) {
      StringBuilder damaged = new StringBuilder(text);
      for (int i = random.nextInt(3); i >= 0; i--) {
        int at = random.nextInt(damaged.length());
        switch (random.nextInt(3)) {
          case 0 -> damaged.deleteCharAt(at);
          case 1 -> damaged.insert(at, (char) random.nextInt(300));
          default -> damaged.setCharAt(at, "%@/.0F\ud800".charAt(random.nextInt(7)));
        }
      }
      try {
        assertThat(FencingToken.parse(damaged.toString())).hasToString(damaged.toString());
      } catch (IllegalArgumentException e) {
        refused++;
        assertThat(e).hasMessageStartingWith("this is no fencing token");
      }
    }
    assertThat(refused).isBetween(5_000, 19_999);
  }
}
