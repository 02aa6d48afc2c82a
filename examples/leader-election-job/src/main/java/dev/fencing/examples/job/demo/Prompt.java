package dev.fencing.examples.job.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A worker's line to the demo: marks go out by standard output, and permission to go on comes back
 * by standard input. When standard input ends the process ends at once. Thread-safe.
 */
final class Prompt {

  private static final int DEMO_IS_GONE = 4;

  private final PrintStream out;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  private Prompt(PrintStream out) {
    this.out = out;
  }

  static Prompt open(InputStream in, PrintStream out) {
    Prompt prompt = new Prompt(out);
    Thread reader = new Thread(() -> prompt.read(in), "prompt");
    reader.setDaemon(true);
    reader.start();
    return prompt;
  }

  /**
   * Tells a mark, and waits for the answer where the mark asks for one.
   *
   * <p>An interrupt does not end the wait, just as it would not end a computation; it stays set.
   */
  void reach(Mark mark) {
    synchronized (out) {
      out.println(mark.line());
      out.flush();
    }
    if (mark.kind().waits()) {
      awaitAnswer();
    }
  }

  private void awaitAnswer() {
    boolean interrupted = false;
    while (true) {
      try {
        answers.take();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void read(InputStream in) {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        answers.add(line);
      }
    } catch (IOException e) {
      // The same as its end.
    }
    Runtime.getRuntime().halt(DEMO_IS_GONE);
  }
}
