package dev.fencing.harness.worker;

import dev.fencing.harness.arm.Mark;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/** One thread's line to the orchestrator. For that thread. */
final class MarkClient {

  /** The answer that lets it go on. */
  static final int GO = 'g';

  /** The answer that has it go on although its session is gone. */
  static final int HAUNT = 'z';

  private final Socket socket;
  private final String identity;

  private MarkClient(Socket socket, String identity) {
    this.socket = socket;
    this.identity = identity;
  }

  static MarkClient connect(int port, int worker, int lock) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    return new MarkClient(socket, worker + " " + lock + " " + ProcessHandle.current().pid());
  }

  /**
   * Says where this thread is, and blocks until the orchestrator answers with one byte.
   *
   * @param session of ZooKeeper
   * @param backend the process of the database that serves the open transaction; 0 for none
   */
  int reach(Mark mark, long token, long session, long backend) throws IOException {
    String line =
        "%s %s %d %s %d %d%n"
            .formatted(
                identity,
                mark,
                token,
                Long.toHexString(session),
                backend,
                Instant.now().toEpochMilli());
    socket.getOutputStream().write(line.getBytes(StandardCharsets.US_ASCII));
    int answer = socket.getInputStream().read();
    if (answer < 0) {
      throw new IOException("the orchestrator is gone");
    }
    return answer;
  }
}
