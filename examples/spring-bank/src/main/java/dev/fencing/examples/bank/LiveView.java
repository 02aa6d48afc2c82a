package dev.fencing.examples.bank;

import dev.fencing.jdbc.FenceListener;
import dev.fencing.jdbc.FencingException;
import dev.fencing.jdbc.StaleTokenException;
import dev.fencing.spring.FencedLockListener;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** What this process holds at the moment and what was refused to it lately, for the page. */
@RestController
class LiveView implements FencedLockListener, FenceListener {

  private static final int MOST_REFUSALS = 50;

  /** Tokens are text: the numbers of JavaScript end at 2^53. */
  record Hold(String resource, String token) {}

  /** A write that was not done. */
  record Refusal(Instant at, String resource, String presented, String stored) {}

  /** All of it. */
  record Live(String process, List<String> peers, Collection<Hold> holds, List<Refusal> refusals) {}

  private final String process;
  private final List<String> peers;
  private final Map<String, Hold> holds = new ConcurrentHashMap<>();
  private final Deque<Refusal> refusals = new ArrayDeque<>();

  LiveView(@Value("${fencing.jdbc.holder}") String process, BankProperties properties) {
    this.process = process;
    this.peers = properties.peers();
  }

  /** The page of each process asks all of them. */
  @GetMapping("/live")
  @CrossOrigin("${bank.peers}")
  Live live() {
    synchronized (refusals) {
      return new Live(process, peers, List.copyOf(holds.values()), List.copyOf(refusals));
    }
  }

  @Override
  public void acquired(String resource, long token, Duration waited) {
    holds.put(resource, new Hold(resource, Long.toString(token)));
  }

  @Override
  public void released(String resource, long token, Duration held, boolean lost) {
    // Another thread may have it by now, under a higher token.
    holds.remove(resource, new Hold(resource, Long.toString(token)));
  }

  @Override
  public void refused(String resource, FencingException why, boolean observedOnly) {
    if (why instanceof StaleTokenException stale) {
      refused(resource, stale.presentedToken(), stale.storedToken());
    }
  }

  void refused(String resource, long presented, long stored) {
    synchronized (refusals) {
      refusals.addFirst(
          new Refusal(Instant.now(), resource, Long.toString(presented), Long.toString(stored)));
      if (refusals.size() > MOST_REFUSALS) {
        refusals.removeLast();
      }
    }
  }
}
