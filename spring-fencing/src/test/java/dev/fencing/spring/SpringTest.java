package dev.fencing.spring;

import static org.awaitility.Awaitility.await;

import dev.fencing.jdbc.JdbcFence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** Accounts of 100 and 200 before each test, and nothing left behind. */
abstract class SpringTest {

  static final Duration LONG = Duration.ofSeconds(60);

  private static final Map<List<Class<?>>, ConfigurableApplicationContext> SHARED = new HashMap<>();

  private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

  @BeforeAll
  static void createTables() {
    Servers.createTables();
  }

  @AfterAll
  static void dropTables() {
    SHARED.values().forEach(ConfigurableApplicationContext::close);
    SHARED.clear();
    Servers.dropTables();
  }

  @BeforeEach
  void fillTables() {
    Servers.fillTables();
  }

  @AfterEach
  void leaveNothing() {
    contexts.forEach(ConfigurableApplicationContext::close);
    await()
        .atMost(LONG)
        .until(
            () ->
                Servers.number(
                        "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in tr%'")
                    == 0);
  }

  /** An application without Boot for all tests of the class that ask for the same beans. */
  static ConfigurableApplicationContext shared(Class<?>... beans) {
    return SHARED.computeIfAbsent(List.of(beans), key -> refresh(beans));
  }

  /** An application without Boot; it is closed after the test. */
  ConfigurableApplicationContext start(Class<?>... beans) {
    ConfigurableApplicationContext context = refresh(beans);
    contexts.add(context);
    return context;
  }

  private static ConfigurableApplicationContext refresh(Class<?>... beans) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context.setAllowBeanDefinitionOverriding(true);
    context.register(PlainBeans.class);
    if (beans.length > 0) {
      context.register(beans);
    }
    context.refresh();
    return context;
  }

  static JdbcFence fence(ConfigurableApplicationContext context) {
    return context.getBean(JdbcFence.class);
  }

  /** How many hold a lock or wait for it. */
  static int contenders(ConfigurableApplicationContext context, String resource) {
    try {
      return context.getBean(FencedLocks.class).participants(resource).size();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Waits for a latch. */
  static void pass(CountDownLatch latch) {
    try {
      if (!latch.await(60, TimeUnit.SECONDS)) {
        throw new AssertionError("the latch was not opened");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static <T> CompletableFuture<T> inBackground(Callable<T> work) {
    CompletableFuture<T> future = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                future.complete(work.call());
              } catch (Throwable e) {
                future.completeExceptionally(e);
              }
            },
            "background");
    thread.setDaemon(true);
    thread.start();
    return future;
  }
}
