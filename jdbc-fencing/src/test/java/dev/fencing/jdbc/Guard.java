package dev.fencing.jdbc;

import dev.fencing.jdbc.Holder.Step;
import java.sql.SQLException;
import java.util.List;

/**
 * A way to keep an old holder's late write out: the steps of the old holder, whose token is 33, and
 * those of its successor.
 */
record Guard(String name, Start start, List<Step> old, List<Step> successor, long successorToken) {

  /** What has happened before the first turn. */
  interface Start {
    void run(Holder old, Holder successor) throws SQLException;
  }

  private static final String FENCE = "SELECT token FROM fence WHERE resource = 'ledger'";

  private static final Step NOTHING = holder -> {};

  /** A raise in row mode. */
  private static final Step RAISE_ROW =
      holder ->
          holder.aside(
              "UPDATE account SET fencing_token = %1$d WHERE id = 1 AND fencing_token <= %1$d"
                  .formatted(holder.token()));

  private static Guard of(String name, Step raise, Step begin, Step write) {
    return new Guard(
        name,
        (old, successor) -> raise.run(old),
        List.of(begin, Holder::read, write, Holder::commit),
        List.of(raise, begin, Holder::read, write, Holder::commit),
        34);
  }

  static final Guard LIBRARY = of("the library", Holder::raise, Holder::check, Holder::write);

  /** The old holder's handle is renewed while its last transaction is still on its way. */
  static final Guard RENEWAL =
      new Guard(
          "the library after an unknown outcome",
          (old, successor) -> {
            successor.raise();
            old.share(successor);
          },
          LIBRARY.old(),
          List.of(Holder::renew, Holder::check, Holder::read, Holder::write, Holder::commit),
          33);

  static final Guard SWALLOWED =
      new Guard(
          "the library, with every exception swallowed",
          LIBRARY.start(),
          List.of(
              swallowing(Holder::check),
              swallowing(Holder::read),
              swallowing(Holder::write),
              swallowing(Holder::commit)),
          LIBRARY.successor(),
          34);

  static final List<Guard> BROKEN =
      List.of(
          of(
              "EXISTS in the UPDATE",
              Holder::raise,
              Holder::begin,
              holder ->
                  holder.write(" AND EXISTS (" + FENCE + " AND token = " + holder.token() + ")")),
          of(
              "a SELECT without a lock",
              Holder::raise,
              holder -> {
                holder.begin();
                holder.require(FENCE);
              },
              Holder::write),
          of(
              "a check in autocommit mode",
              Holder::raise,
              holder -> {
                holder.begin();
                holder.connection().setAutoCommit(true);
                holder.requireLocked(FENCE);
                holder.begin();
              },
              Holder::write),
          new Guard(
              "raise and read in one statement",
              LIBRARY.start(),
              LIBRARY.old(),
              List.of(
                  holder -> {
                    holder.begin();
                    holder.raiseAndRead();
                  },
                  Holder::write,
                  Holder::commit),
              34),
          of(
              "<= without a raise",
              NOTHING,
              Holder::begin,
              holder -> holder.write(" AND fencing_token <= " + holder.token())),
          of(
              "< with a raise",
              RAISE_ROW,
              Holder::begin,
              holder -> holder.write(" AND fencing_token < " + holder.token())),
          of(
              "an update count that is ignored",
              RAISE_ROW,
              Holder::begin,
              holder -> holder.writeWhateverTheCount(" AND fencing_token <= " + holder.token())),
          of(
              "a savepoint before the check",
              Holder::raise,
              Holder::checkBehindASavepoint,
              Holder::write),
          new Guard(
              "a raise after the read",
              LIBRARY.start(),
              LIBRARY.old(),
              List.of(
                  holder -> {
                    holder.begin();
                    holder.read();
                  },
                  Holder::raise,
                  Holder::check,
                  Holder::write,
                  Holder::commit),
              34),
          new Guard(
              "a check after an earlier read",
              LIBRARY.start(),
              LIBRARY.old(),
              List.of(
                  holder -> {
                    holder.begin();
                    holder.look();
                  },
                  Holder::raise,
                  Holder::check,
                  Holder::read,
                  Holder::write,
                  Holder::commit),
              34),
          new Guard(
              "the same token raised again, without raise ids",
              LIBRARY.start(),
              List.of(checkTokenOnly(), Holder::read, Holder::write, Holder::commit),
              List.of(
                  holder ->
                      holder.aside(
                          "UPDATE fence SET token = 33 WHERE resource = 'ledger' AND token <= 33"),
                  checkTokenOnly(),
                  Holder::read,
                  Holder::write,
                  Holder::commit),
              33));

  private static Step checkTokenOnly() {
    return holder -> {
      holder.begin();
      holder.requireLocked(FENCE);
    };
  }

  private static Step swallowing(Step step) {
    return holder -> {
      try {
        step.run(holder);
      } catch (SQLException | FencingException swallowed) {
        // As an application might.
      }
    };
  }

  @Override
  public String toString() {
    return name;
  }
}
