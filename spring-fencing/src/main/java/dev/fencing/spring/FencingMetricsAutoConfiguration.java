package dev.fencing.spring;

import dev.fencing.jdbc.micrometer.FenceMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** The meters, where there is a registry. */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnProperty(name = "fencing.enabled", matchIfMissing = true)
final class FencingMetricsAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  FenceMetrics fenceMetrics(MeterRegistry registry) {
    return new FenceMetrics(registry, FencedLockMetrics::firstPart);
  }

  @Bean
  @ConditionalOnMissingBean
  FencedLockMetrics fencedLockMetrics(MeterRegistry registry) {
    return new FencedLockMetrics(registry, FencedLockMetrics::firstPart);
  }
}
