package dev.fencing.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

/** No value leads out of the path that its name gives it. */
class NamesTest {

  private static final CuratorFramework CLIENT = Servers.client();
  private static final FencedLocks LOCKS = locks();

  private static FencedLocks locks() {
    CLIENT.start();
    return new FencedLocks(CLIENT, "/fencing");
  }

  @AfterAll
  static void close() {
    CLIENT.close();
  }

  @SuppressWarnings("unused") // Only its signature is.
  void transfer(@Nullable Object from, @Nullable Object to) {}

  private static String name(String text, @Nullable Object from) throws Exception {
    Method method = NamesTest.class.getDeclaredMethod("transfer", Object.class, Object.class);
    return FencedName.parse(text).of(new NamesTest(), method, from, "to");
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          17,           account/17
          a-b_c.d~e,    account/a-b_c.d~e
          Zürich,       account/Zürich
          a/b,          account/a%2Fb
          /,            account/%2F
          .,            account/%2E
          ..,           account/%2E%2E
          ../other,     account/..%2Fother
          a%2Fb,        account/a%252Fb
          lock-7,       account/lock%2D7
          clock-7,      account/clock%2D7
          𠀀𝔄,          account/%F0%A0%80%80%F0%9D%94%84
          x__READ__7,   account/x%5F_READ__7
          __WRIT__7,    account/%5F_WRIT__7
          """)
  void aValueIsOnePartOfThePath(String value, String name) throws Exception {
    assertThat(name("account/#{#from}", value)).isEqualTo(name);
    assertThat(FencedLocks.resource("account", value)).isEqualTo(name);
    assertThat(LOCKS.lockPath(name)).isEqualTo("/fencing/" + name);
  }

  @Test
  void controlCharactersAndNulAreEncodedAndDifferentValuesStayDifferent() throws Exception {
    Set<String> names = new HashSet<>();
    List<String> values = List.of("\0", "\u0001", "\u0085", " ", "a b", "a  b", "%00", "💰", "?");
    for (String value : values) {
      String name = name("account/#{#from}", value);
      LOCKS.lockPath(name);
      names.add(name);
    }
    assertThat(names).hasSameSizeAs(values).contains("account/%00", "account/%2500");
  }

  @ParameterizedTest
  @NullAndEmptySource
  @ValueSource(strings = "\uD800")
  void aValueThatNamesNothingIsRefused(@Nullable String value) {
    assertThatThrownBy(() -> name("account/#{#from}", value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("account/#{#from}");
  }

  @Test
  void aValueWithoutATextOfItsOwnIsRefusedForItWouldKeepNobodyOut() {
    for (Object value : List.of(new Object(), new long[] {1}, List.of(1).iterator())) {
      assertThatThrownBy(() -> name("account/#{#from}", value))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("no toString() of its own")
          .hasMessageContaining("account/#{#from}");
    }
  }

  @Test
  void anExpressionThatFailsIsNamedWithItsMethod() {
    assertThatThrownBy(() -> name("account/#{#from.owner}", 17))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("#{from.owner}".replace("{", "{#"))
        .hasMessageContaining("NamesTest.transfer");
  }

  @ParameterizedTest
  @ValueSource(strings = {"account/lock-7", "wall/clock-7", "a/b/__READ__", "a/__WRIT__/b"})
  void aPartThatTheLockAboveWouldTakeForAContenderIsRefused(String name) {
    assertThatThrownBy(() -> LOCKS.lockPath(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("as ZooKeeper's lock nodes");
    assertThat(LOCKS.lockPath("wall-clock-7")).isEqualTo("/fencing/wall-clock-7");
  }

  @Test
  void severalExpressionsAndMethodsOfArguments() throws Exception {
    assertThat(name("#{#from.length()}/x-#{#to}", "four")).isEqualTo("4/x-to");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/", "a//b", "..", "a/../b", ".", "a/", "/a", "a\0b"})
  void aNameThatIsNoPathIsRefused(String name) {
    assertThatThrownBy(() -> LOCKS.lockPath(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("FencedLocks.resource");
  }

  @Test
  void aVeryLongNameIsRefused() {
    assertThat(LOCKS.lockPath("x".repeat(255))).hasSize(264);
    assertThatThrownBy(() -> LOCKS.lockPath("x".repeat(256)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 to 255 characters but has 256");
  }

  @Test
  void aNameNeverTakesPartInAnotherLocksQueue() throws Exception {
    CLIENT.createContainers("/fencing/account/" + FencedLocks.resource("x", "lock-1").substring(2));
    HeldLock lock = LOCKS.acquire("account", java.time.Duration.ofSeconds(30));
    assertThat(LOCKS.participants("account")).hasSize(1);
    lock.close();
  }
}
