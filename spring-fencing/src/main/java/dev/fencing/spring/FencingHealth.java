package dev.fencing.spring;

import dev.fencing.curator.FencedLeaderSelector.Phase;
import dev.fencing.jdbc.FencingException;
import dev.fencing.jdbc.JdbcFence;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How the locks and the fence are, for the health indicators of both lines of Boot. */
final class FencingHealth {

  /** Any name will do: what is asked is whether the guard table answers. */
  private static final String ANY = "fencing-health";

  /**
   * What was found.
   *
   * @param problems what is down, with what to do about it; empty if all is well
   */
  record Report(List<String> problems, Map<String, Object> details) {
    boolean isUp() {
      return problems.isEmpty();
    }
  }

  private final FencedLocks locks;
  private final JdbcFence fence;

  FencingHealth(FencedLocks locks, JdbcFence fence) {
    this.locks = locks;
    this.fence = fence;
  }

  Report report() {
    List<String> problems = new ArrayList<>();
    Map<String, Object> details = new LinkedHashMap<>();
    boolean connected = locks.client().getZookeeperClient().isConnected();
    details.put("zookeeper", connected ? "connected" : "disconnected");
    if (!connected) {
      problems.add(
          "ZooKeeper at %s does not answer: no lock can be acquired, and locks that are held are lost when the session ends"
              .formatted(locks.client().getZookeeperClient().getCurrentConnectionString()));
    }
    try {
      fence.current(ANY);
      details.put("guardTable", "readable");
    } catch (FencingException e) {
      details.put("guardTable", "unreadable");
      problems.add(
          "the guard table cannot be read: %s If it is missing, fencing.jdbc.schema=create makes it"
              .formatted(e.getMessage()));
    }
    locks.restarted().forEach(found -> problems.add(found.remedy()));
    Map<String, Object> leaders = new LinkedHashMap<>();
    for (FencedLeader leader : locks.leaders()) {
      leader
          .state()
          .ifPresent(
              state -> {
                leaders.put(leader.resource(), state.phase());
                if (state.phase() == Phase.FAILED) {
                  problems.add(
                      "the election of \"%s\" has ended: %s"
                          .formatted(leader.resource(), state.lastFailure()));
                }
              });
    }
    if (!leaders.isEmpty()) {
      details.put("leaders", leaders);
    }
    if (!problems.isEmpty()) {
      details.put("problems", problems);
    }
    return new Report(problems, details);
  }
}
