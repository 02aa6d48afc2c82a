package dev.fencing.examples.comparison.simulator;

import java.util.ArrayList;
import java.util.List;

/** Two clients and one account, of which the first falls asleep with the lock in its hand. */
final class PausedClient {

  private static final String ACCOUNT = "account";

  private final TokenIssuer issuer = new TokenIssuer();
  private final ValidatedStorage<Long> storage = new ValidatedStorage<>();
  private final List<String> lines = new ArrayList<>();

  /** Returns what happens, a line for each step. */
  List<String> tell() {
    storage.overwrite(ACCOUNT, 0L);
    long first = issuer.next(ACCOUNT);
    lines.add("client 1 gets the lock, token " + first);
    lines.add("client 1 is paused, longer than its lease");
    long second = issuer.next(ACCOUNT);
    lines.add("client 2 gets the lock, token " + second);
    write(2, second, 50_000);
    lines.add("client 1 wakes up; nothing told it that it lost the lock");
    write(1, first, 10_000);
    lines.add("the account holds " + storage.read(ACCOUNT));
    return List.copyOf(lines);
  }

  private void write(int client, long token, long value) {
    Answer answer = storage.write(ACCOUNT, token, value);
    lines.add("client " + client + " writes " + value + " with token " + token + " -> " + answer);
  }
}
