package dev.fencing.curator;

import org.junit.jupiter.api.Tag;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

/** On a container of its own, whose figures nobody else changes. */
@Tag("containers")
@Testcontainers(disabledWithoutDocker = true)
class ContainerLeftoverTest extends LeftoverContract {

  @Container private static final GenericContainer<?> SERVER = ContainerZooKeeperTest.server();

  @Override
  int port() {
    return ContainerZooKeeperTest.portOf(SERVER);
  }
}
