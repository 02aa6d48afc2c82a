package dev.fencing.jdbc.micrometer;

import dev.fencing.jdbc.FenceBusyException;
import dev.fencing.jdbc.FenceListener;
import dev.fencing.jdbc.FenceMissingException;
import dev.fencing.jdbc.FencingException;
import dev.fencing.jdbc.StaleTokenException;
import dev.fencing.jdbc.UnknownOutcomeException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * The decisions of the fences as Micrometer meters; hand it to {@code JdbcFenceBuilder.listener}.
 *
 * <table>
 *   <caption>Meters, all with the tag {@code resource}</caption>
 *   <tr><th>name</th><th>kind</th><th>more tags</th></tr>
 *   <tr><td>{@code fencing.raise}</td><td>timer: raises and renewals that won</td><td></td></tr>
 *   <tr><td>{@code fencing.accepted}</td><td>counter: checks that passed</td><td></td></tr>
 *   <tr><td>{@code fencing.refused}</td><td>counter</td>
 *       <td>{@code reason}: stale, missing or origin; {@code observed}: true if it was only
 *       reported</td></tr>
 *   <tr><td>{@code fencing.busy}</td><td>counter</td><td>{@code observed}</td></tr>
 *   <tr><td>{@code fencing.unknown}</td><td>counter: commits without an answer</td><td></td></tr>
 * </table>
 *
 * <p>Needs {@code io.micrometer:micrometer-core}, which jdbc-fencing does not bring. Thread-safe.
 */
public final class FenceMetrics implements FenceListener {

  private final MeterRegistry registry;
  private final UnaryOperator<String> tag;

  /**
   * Makes the meters in a registry.
   *
   * @param tag makes the tag {@code resource} of the name of a resource; where there is a resource
   *     for every account or order, cut the name short, for each value of a tag costs memory in the
   *     registry for as long as the process lives
   */
  public FenceMetrics(MeterRegistry registry, UnaryOperator<String> tag) {
    this.registry = Objects.requireNonNull(registry, "registry");
    this.tag = Objects.requireNonNull(tag, "tag");
  }

  @Override
  public void raised(String resource, long token, Duration waited) {
    registry.timer("fencing.raise", of(resource)).record(waited);
  }

  @Override
  public void accepted(String resource, long token) {
    registry.counter("fencing.accepted", of(resource)).increment();
  }

  @Override
  public void refused(String resource, FencingException why, boolean observedOnly) {
    String reason =
        why instanceof StaleTokenException
            ? "stale"
            : why instanceof FenceMissingException ? "missing" : "origin";
    registry
        .counter("fencing.refused", observed(resource, observedOnly, "reason", reason))
        .increment();
  }

  @Override
  public void busy(String resource, FenceBusyException why, boolean observedOnly) {
    registry.counter("fencing.busy", observed(resource, observedOnly)).increment();
  }

  @Override
  public void unknown(String resource, UnknownOutcomeException why) {
    registry.counter("fencing.unknown", of(resource)).increment();
  }

  // Iterable and not Tags, for which only new versions of Micrometer have methods of their own.
  private Iterable<Tag> of(String resource) {
    return Tags.of("resource", tag.apply(resource));
  }

  private Iterable<Tag> observed(String resource, boolean observedOnly, String... more) {
    return Tags.of(of(resource)).and("observed", Boolean.toString(observedOnly)).and(more);
  }
}
