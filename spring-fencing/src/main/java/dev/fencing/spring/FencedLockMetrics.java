package dev.fencing.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * The locks as Micrometer meters, beside those of {@code FenceMetrics}.
 *
 * <table>
 *   <caption>Meters, all with the tag {@code resource}</caption>
 *   <tr><th>name</th><th>what</th></tr>
 *   <tr><td>{@code fencing.lock.wait}</td><td>timer: how long acquires took</td></tr>
 *   <tr><td>{@code fencing.lock.hold}</td><td>timer: how long locks were held</td></tr>
 *   <tr><td>{@code fencing.lock.unavailable}</td><td>counter: acquires that got no lock</td></tr>
 *   <tr><td>{@code fencing.lock.lost}</td><td>counter: holds that were lost before they were
 *       released</td></tr>
 * </table>
 *
 * <p>Thread-safe.
 */
public final class FencedLockMetrics implements FencedLockListener {

  private final MeterRegistry registry;
  private final UnaryOperator<String> tag;

  /**
   * Makes the meters in a registry.
   *
   * @param tag makes the tag {@code resource} of the name of a resource, see {@link #firstPart}
   */
  public FencedLockMetrics(MeterRegistry registry, UnaryOperator<String> tag) {
    this.registry = Objects.requireNonNull(registry, "registry");
    this.tag = Objects.requireNonNull(tag, "tag");
  }

  /**
   * Returns the name up to the first slash: {@code account} for {@code account/17}, so that there
   * is not a meter for every account.
   */
  public static String firstPart(String resource) {
    int slash = resource.indexOf('/');
    return slash < 0 ? resource : resource.substring(0, slash);
  }

  @Override
  public void acquired(String resource, long token, Duration waited) {
    registry.timer("fencing.lock.wait", of(resource)).record(waited);
  }

  @Override
  public void unavailable(String resource, Duration waited, Exception why) {
    registry.counter("fencing.lock.unavailable", of(resource)).increment();
  }

  @Override
  public void released(String resource, long token, Duration held, boolean lost) {
    registry.timer("fencing.lock.hold", of(resource)).record(held);
    if (lost) {
      registry.counter("fencing.lock.lost", of(resource)).increment();
    }
  }

  private Iterable<Tag> of(String resource) {
    return Tags.of("resource", tag.apply(resource));
  }
}
