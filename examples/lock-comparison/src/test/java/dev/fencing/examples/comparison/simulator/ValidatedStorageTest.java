package dev.fencing.examples.comparison.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ValidatedStorageTest {

  private final ValidatedStorage<Integer> storage = new ValidatedStorage<>();

  @Test
  void theIssuerAddsOneWithEachGrantOfAResource() {
    TokenIssuer issuer = new TokenIssuer();

    assertThat(issuer.next("a")).isEqualTo(1);
    assertThat(issuer.next("a")).isEqualTo(2);
    assertThat(issuer.next("b")).isEqualTo(1);
    assertThat(issuer.next("a")).isEqualTo(3);
  }

  @Test
  void theStoryEndsWithTheValueOfTheSecondClient() {
    assertThat(new PausedClient().tell())
        .containsExactly(
            "client 1 gets the lock, token 1",
            "client 1 is paused, longer than its lease",
            "client 2 gets the lock, token 2",
            "client 2 writes 50000 with token 2 -> 200 OK: written with token 2",
            "client 1 wakes up; nothing told it that it lost the lock",
            "client 1 writes 10000 with token 1 -> 412 Precondition Failed: token 1, but 2 was seen",
            "the account holds 50000");
  }

  @Test
  void aSecondWriteWithTheSameTokenIsRefused() {
    assertThat(storage.write("a", 1, 10).status()).isEqualTo(200);
    assertThat(storage.write("a", 1, 20).status()).isEqualTo(412);
    assertThat(storage.read("a")).isEqualTo(10);
  }

  @Test
  void aRaisedTokenCanWriteAndALowerOneCannot() {
    assertThat(storage.raise("a", 2).status()).isEqualTo(200);
    assertThat(storage.write("a", 1, 10).status()).isEqualTo(412);
    assertThat(storage.write("a", 2, 20).status()).isEqualTo(200);
  }

  @Test
  void aLowerTokenCannotBeRaised() {
    storage.write("a", 2, 20);

    assertThat(storage.raise("a", 1))
        .isEqualTo(Answer.preconditionFailed("token 1, but 2 was seen"));
    assertThat(storage.write("a", 3, 30).status()).isEqualTo(200);
  }

  @Test
  void resourcesAreValidatedOneByOne() {
    storage.write("a", 7, 70);

    assertThat(storage.write("b", 1, 10).status()).isEqualTo(200);
  }
}
