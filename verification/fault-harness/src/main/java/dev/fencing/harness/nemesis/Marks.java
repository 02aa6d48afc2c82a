package dev.fencing.harness.nemesis;

import dev.fencing.harness.arm.Mark;
import dev.fencing.harness.worker.Order;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Answers the workers at their marks: at once, or, where a trap is set, when the fault is in place.
 * Thread-safe.
 */
public final class Marks implements AutoCloseable {

  /** A worker that waits longer was forgotten by a fault, and goes on. */
  private static final Duration FORGOTTEN = Duration.ofSeconds(90);

  /** Whom a trap may catch. */
  private enum Whom {
    /** A worker that no fault is aimed at, and then this one is. */
    VICTIM,
    /** A worker that no fault is aimed at. */
    BYSTANDER,
    ANYBODY
  }

  /** Waits for one arrival. */
  final class Trap implements AutoCloseable {
    private final Predicate<Arrival> what;
    private final Whom whom;
    private final CompletableFuture<Arrival> caught = new CompletableFuture<>();

    private Trap(Predicate<Arrival> what, Whom whom) {
      this.what = what;
      this.whom = whom;
    }

    private boolean catches(Arrival arrival) {
      return what.test(arrival)
          && switch (whom) {
            case VICTIM -> busy.add(arrival.worker());
            case BYSTANDER -> !busy.contains(arrival.worker());
            case ANYBODY -> true;
          };
    }

    /** Returns who has come, null if nobody in time. */
    @Nullable Arrival await(Duration bound) throws InterruptedException {
      try {
        return caught.get(bound.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException nobody) {
        return null;
      } catch (ExecutionException e) {
        throw new IllegalStateException(e);
      }
    }

    /** Returns who has come, who then waits for {@link Arrival#go}; null if nobody in time. */
    @Nullable Arrival awaitOrCancel(Duration bound) throws InterruptedException {
      Arrival arrival = await(bound);
      synchronized (Marks.this) {
        traps.remove(this);
        return arrival == null ? caught.getNow(null) : arrival;
      }
    }

    /** Catches nobody any more, lets go whom it has caught, and spares it from now on. */
    @Override
    public void close() {
      synchronized (Marks.this) {
        traps.remove(this);
      }
      Arrival arrival = caught.getNow(null);
      if (arrival != null) {
        arrival.go();
        if (whom == Whom.VICTIM) {
          spare(arrival.worker());
        }
      }
    }
  }

  private final ServerSocket listener;
  private final List<Trap> traps = new ArrayList<>();
  private final Set<Integer> busy = new HashSet<>();
  private final @Nullable Arrival[] holders = new Arrival[Order.LOCKS];

  private Marks(ServerSocket listener) {
    this.listener = listener;
  }

  /** Listens on a free port of 127.0.0.1. */
  public static Marks listen() throws IOException {
    Marks marks = new Marks(new ServerSocket(0, 100, InetAddress.getLoopbackAddress()));
    daemon("marks", marks::acceptUntilClosed);
    return marks;
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** Catches the next arrival of this kind, of a worker that no fault is aimed at. */
  Trap trapBystander(Predicate<Arrival> what) {
    return trap(what, Whom.BYSTANDER);
  }

  /** Catches the next arrival of this kind, whoever it is. */
  Trap trap(Predicate<Arrival> what) {
    return trap(what, Whom.ANYBODY);
  }

  /** Catches a worker that no fault is aimed at, and aims one at it, until {@link #spare}. */
  Trap aim(Predicate<Arrival> what) {
    return trap(what, Whom.VICTIM);
  }

  private synchronized Trap trap(Predicate<Arrival> what, Whom whom) {
    Trap trap = new Trap(what, whom);
    traps.add(trap);
    return trap;
  }

  /** Waits until somebody has come to a mark under every lock; nobody is kept there. */
  public void awaitOnEveryLock(Mark mark, Duration bound) throws InterruptedException {
    long start = System.nanoTime();
    for (int i = 0; i < Order.LOCKS; i++) {
      int lock = i;
      try (Trap trap = trap(arrival -> arrival.lock() == lock && arrival.mark() == mark)) {
        if (trap.await(bound.minus(Scene.since(start))) == null) {
          return;
        }
      }
    }
  }

  /** Aims a fault at the worker that holds a lock now, wherever it is; null if none can be. */
  synchronized @Nullable Arrival aimAtHolder(int lock) {
    Arrival holder = holders[lock];
    return holder != null && busy.add(holder.worker()) ? holder : null;
  }

  /** No fault is aimed at that worker any more. */
  synchronized void spare(int worker) {
    busy.remove(worker);
  }

  private synchronized void offer(Arrival arrival) {
    if (arrival.mark() == Mark.IDLE) {
      Arrival holder = holders[arrival.lock()];
      if (holder != null && holder.isSameThread(arrival)) {
        holders[arrival.lock()] = null;
      }
    } else if (arrival.mark() == Mark.AFTER_ACQUIRE) {
      holders[arrival.lock()] = arrival;
    }
    for (Iterator<Trap> i = traps.iterator(); i.hasNext(); ) {
      Trap trap = i.next();
      if (trap.catches(arrival)) {
        i.remove();
        trap.caught.complete(arrival);
        return;
      }
    }
    arrival.go();
  }

  private void acceptUntilClosed() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        socket.setTcpNoDelay(true);
        daemon("mark", () -> serve(socket));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private synchronized void forget(@Nullable Arrival dead) {
    if (dead != null) {
      Arrival holder = holders[dead.lock()];
      if (holder != null && holder.isSameThread(dead) && holder.pid() == dead.pid()) {
        holders[dead.lock()] = null;
      }
    }
  }

  private void serve(Socket socket) {
    Arrival last = null;
    try (socket;
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        Arrival arrival = Arrival.parse(line);
        last = arrival;
        offer(arrival);
        socket.getOutputStream().write(arrival.answer(FORGOTTEN));
      }
    } catch (IOException killed) {
      // The worker is gone.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      forget(last);
    }
  }

  private static void daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
