package dev.fencing.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.retry.RetryListener;

/** Keeps Spring Retry from trying again what is refused for ever. */
@AutoConfiguration(after = FencingAutoConfiguration.class)
@ConditionalOnClass(RetryListener.class)
@ConditionalOnProperty(name = "fencing.enabled", matchIfMissing = true)
final class FencingRetryAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  StaleTokenRetryListener staleTokenRetryListener() {
    return new StaleTokenRetryListener();
  }
}
