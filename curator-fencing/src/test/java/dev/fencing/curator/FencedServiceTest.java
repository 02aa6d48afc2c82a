package dev.fencing.curator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.util.ArrayList;
import java.util.List;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A service that is no database, asked by holders of a real lock. */
class FencedServiceTest extends ZooKeeperCase {

  private static TestingServer server;

  private final FencedRegister register = FencedRegister.manyWritesPerToken();
  private final List<String> printed = new ArrayList<>();

  @BeforeAll
  static void start() throws Exception {
    server = new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, TICK_MS, -1), true);
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @Override
  int port() {
    return server.getPort();
  }

  /** What the service makes of a request with this header. */
  private void print(String header, String text) throws InterruptedException {
    register.call(path, FencingToken.parse(header), () -> printed.add(text));
  }

  @Test
  void aHolderThatHasLostItsLockPrintsNothingBehindItsSuccessor() throws Exception {
    FencedLease first = new InterProcessFencedMutex(client(), path).acquireLease();
    String firstHeader = FencingToken.of(first).toString();
    print(firstHeader, "page 1");

    observer.delete(path + "/" + children(path).get(0), -1);
    FencedLease second = new InterProcessFencedMutex(client(), path).acquireLease();
    String secondHeader = FencingToken.of(second).toString();
    print(secondHeader, "page 2");

    assertThatThrownBy(() -> print(firstHeader, "late"))
        .asInstanceOf(type(StaleFencingTokenException.class))
        .satisfies(
            stale -> {
              assertThat(stale.lockPath()).isEqualTo(path);
              assertThat(stale.presentedToken()).isEqualTo(first.token());
              assertThat(stale.storedToken()).isEqualTo(second.token());
            });
    assertThat(printed).containsExactly("page 1", "page 2");
    second.close();
    first.close();
    assertThat(FencingToken.of(first)).as("of a closed lease").hasToString(firstHeader);
  }
}
