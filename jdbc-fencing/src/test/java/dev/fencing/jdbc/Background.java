package dev.fencing.jdbc;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** Work beside the test's own thread, each on a thread of its own: pools can be too small. */
final class Background {

  private Background() {}

  static <T> CompletableFuture<T> start(Callable<T> work) {
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
