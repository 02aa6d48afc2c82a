package dev.fencing.harness.history;

import java.nio.file.Path;

/** A process that writes lines until it is killed, and tells after each how many there are. */
final class WriterMain {

  private WriterMain() {}

  public static void main(String[] arguments) throws Exception {
    try (EdnWriter writer = EdnWriter.create(Path.of(arguments[0]))) {
      for (int i = 1; ; i++) {
        writer.append(Op.invoke(OpFunction.ACQUIRE, 0, 0).resource("lock-0").at(i));
        System.out.println(i);
      }
    }
  }
}
