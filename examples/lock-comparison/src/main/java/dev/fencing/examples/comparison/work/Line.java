package dev.fencing.examples.comparison.work;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** The line between a worker and the one who runs it: a kind and a value in each message. */
final class Line implements Closeable {

  /** What is said. */
  enum Kind {
    /** A worker has started: its number. */
    HELLO,
    /** It is to connect to an arm: the name and the file of its setup. */
    OPEN,
    /** It has: the lease. */
    READY,
    /** It has not: why. */
    FAILED,
    /** It is to run a transaction: the plan. */
    RUN,
    /** It is where it may be frozen, and waits. */
    MARK,
    /** It may go on. */
    GO,
    /** An attempt that will be followed by another one: how it went. */
    ATTEMPT,
    /** The last attempt: how it went. */
    DONE
  }

  /** What came. */
  record Message(Kind kind, String json) {

    <T> T as(Class<T> type) throws JsonProcessingException {
      return JSON.readValue(json, type);
    }
  }

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Socket socket;
  private final BufferedReader in;
  private final BufferedWriter out;

  Line(Socket socket) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    this.in =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    this.out =
        new BufferedWriter(
            new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8));
  }

  void send(Kind kind, Object value) throws IOException {
    out.write(kind + " " + JSON.writeValueAsString(value) + "\n");
    out.flush();
  }

  /**
   * Waits for the next message.
   *
   * @throws EOFException if the other side is gone
   */
  Message next() throws IOException {
    String line = in.readLine();
    if (line == null) {
      throw new EOFException("the other side is gone");
    }
    int end = line.indexOf(' ');
    return new Message(Kind.valueOf(line.substring(0, end)), line.substring(end + 1));
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
