package dev.fencing.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A TCP proxy on loopback that makes a long line out of a short one: every byte arrives later by
 * the same time, and any number of them can be under way at once.
 */
final class DelayingProxy implements AutoCloseable {

  private static final long SPIN_NANOS = 100_000;

  /** Bytes and when they arrive; no bytes at the end of the stream. */
  private record Chunk(ByteBuffer bytes, long arrivesAt) {}

  private final ServerSocket listener;
  private final int target;
  private final long delayNanos;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  private DelayingProxy(ServerSocket listener, int target, Duration oneWay) {
    this.listener = listener;
    this.target = target;
    this.delayNanos = oneWay.toNanos();
  }

  /** Returns a running proxy on a free port that forwards to {@code port}. */
  static DelayingProxy to(int port, Duration oneWay) throws IOException {
    DelayingProxy proxy =
        new DelayingProxy(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), port, oneWay);
    daemon("proxy-accept", proxy::accept);
    return proxy;
  }

  String address() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(server);
        forward(client, server);
        forward(server, client);
      } catch (IOException e) {
        // Closed, or the server is; a client that is not served finds out by itself.
      }
    }
  }

  private void forward(Socket from, Socket to) {
    BlockingQueue<Chunk> underWay = new LinkedBlockingQueue<>();
    daemon("proxy-in", () -> read(from, underWay));
    daemon("proxy-out", () -> write(underWay, to));
  }

  private void read(Socket from, BlockingQueue<Chunk> underWay) {
    byte[] buffer = new byte[64 * 1024];
    try {
      InputStream in = from.getInputStream();
      for (int length = in.read(buffer); length > 0; length = in.read(buffer)) {
        underWay.add(
            new Chunk(
                ByteBuffer.wrap(Arrays.copyOf(buffer, length)), System.nanoTime() + delayNanos));
      }
    } catch (IOException closed) {
      // As the end of the stream.
    }
    underWay.add(new Chunk(ByteBuffer.allocate(0), System.nanoTime() + delayNanos));
  }

  private void write(BlockingQueue<Chunk> underWay, Socket to) {
    try (to) {
      OutputStream out = to.getOutputStream();
      for (Chunk chunk = underWay.take(); chunk.bytes().hasRemaining(); chunk = underWay.take()) {
        awaitArrival(chunk.arrivesAt());
        out.write(chunk.bytes().array());
      }
    } catch (IOException closed) {
      // Nobody is there any more.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Spins at the end: the system wakes a parked thread late by as much as is to be measured. */
  private static void awaitArrival(long at) {
    for (long left = at - System.nanoTime(); left > 0; left = at - System.nanoTime()) {
      if (left > SPIN_NANOS) {
        LockSupport.parkNanos(left - SPIN_NANOS);
      } else {
        Thread.onSpinWait();
      }
    }
  }

  private static void daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }
}
