package dev.fencing.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** The answers to HTTP requests, under Spring MVC and WebFlux. */
@AutoConfiguration(after = FencingAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnClass(RestControllerAdvice.class)
@ConditionalOnProperty(
    name = {"fencing.enabled", "fencing.web.enabled"},
    matchIfMissing = true)
final class FencingWebAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  FencingProblems fencingProblems() {
    return new FencingProblems();
  }
}
