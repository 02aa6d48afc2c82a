package dev.fencing.spring;

import dev.fencing.jdbc.JdbcFence;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Health and the endpoint, where there is Boot's actuator. */
@AutoConfiguration(after = FencingAutoConfiguration.class)
@ConditionalOnBean({FencedLocks.class, JdbcFence.class})
final class FencingActuatorAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  FencingHealth fencingHealth(FencedLocks locks, JdbcFence fence) {
    return new FencingHealth(locks, fence);
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
  static class Endpoints {

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    FencingEndpoint fencingEndpoint(FencedLocks locks, JdbcFence fence) {
      return new FencingEndpoint(locks, fence);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(org.springframework.boot.actuate.health.HealthIndicator.class)
  static class Boot3Health {

    @Bean
    @ConditionalOnMissingBean(name = "fencingHealthIndicator")
    @org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator(
        "fencing")
    org.springframework.boot.actuate.health.HealthIndicator fencingHealthIndicator(
        FencingHealth health) {
      return () -> {
        FencingHealth.Report report = health.report();
        var builder =
            report.isUp()
                ? org.springframework.boot.actuate.health.Health.up()
                : org.springframework.boot.actuate.health.Health.down();
        return builder.withDetails(report.details()).build();
      };
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(org.springframework.boot.health.contributor.HealthIndicator.class)
  static class Boot4Health {

    @Bean
    @ConditionalOnMissingBean(name = "fencingHealthIndicator")
    @org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator(
        "fencing")
    org.springframework.boot.health.contributor.HealthIndicator fencingHealthIndicator(
        FencingHealth health) {
      return () -> {
        FencingHealth.Report report = health.report();
        var builder =
            report.isUp()
                ? org.springframework.boot.health.contributor.Health.up()
                : org.springframework.boot.health.contributor.Health.down();
        return builder.withDetails(report.details()).build();
      };
    }
  }
}
