package dev.fencing.examples.dropin.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

/**
 * The program, run in this JVM.
 *
 * @param exit its exit code
 * @param out what it printed
 * @param err what it said on standard error
 */
record Run(int exit, String out, String err) {

  static Run of(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exit =
        DropIn.run(new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8), args);
    return new Run(exit, out.toString(UTF_8), err.toString(UTF_8));
  }
}
