package dev.fencing.examples.comparison.simulator;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** Tells the story of the paused client, and simulates the table. */
public final class Simulator {

  private static final String USAGE =
      """
      Usage: simulator [--seed N] [--transactions N] [--pauses SHARE]
        --seed N           the same seed gives the same table; default 2
        --transactions N   of each arm, 1 to 100000; default 1000
        --pauses SHARE     of the transactions that are paused, 0 to 1; default 0.1
      """;

  private Simulator() {}

  /** Exits with 0, with 2 if an argument is wrong, or with 1 if the fence lost an update. */
  public static void main(String[] arguments) {
    System.exit(run(List.of(arguments), System.out, System.err));
  }

  static int run(List<String> arguments, PrintStream out, PrintStream err) {
    if (arguments.contains("--help")) {
      out.print(USAGE);
      return 0;
    }
    Settings settings;
    try {
      settings = parse(arguments);
    } catch (IllegalArgumentException e) {
      err.println(e.getMessage());
      err.print(USAGE);
      return 2;
    }
    new PausedClient().tell().forEach(out::println);
    out.println();
    List<SimulatedTable.Line> lines = SimulatedTable.of(settings);
    out.print(SimulatedTable.text(settings, lines));
    boolean fenceHeld =
        lines.stream()
            .map(SimulatedTable.Line::contended)
            .noneMatch(result -> result.arm() == Arm.FENCED && result.lost() > 0);
    return fenceHeld ? 0 : 1;
  }

  private static Settings parse(List<String> arguments) {
    Settings settings = Settings.standard();
    for (int i = 0; i < arguments.size(); i += 2) {
      String name = arguments.get(i);
      if (i + 1 == arguments.size()) {
        throw new IllegalArgumentException("'%s' without a value".formatted(name));
      }
      String value = arguments.get(i + 1);
      try {
        settings =
            switch (name) {
              case "--seed" -> settings.withSeed(Long.parseLong(value));
              case "--transactions" ->
                  settings.withTransactions((int) within(1, Integer.parseInt(value), 100_000));
              case "--pauses" -> settings.withPauseShare(within(0, Double.parseDouble(value), 1));
              default -> throw new IllegalArgumentException("'%s' is unknown".formatted(name));
            };
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("'%s' is no number for %s".formatted(value, name), e);
      }
    }
    return settings;
  }

  private static double within(double least, double value, double most) {
    if (!(value >= least && value <= most)) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "%s is not from %s to %s", value, least, most));
    }
    return value;
  }
}
