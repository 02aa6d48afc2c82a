package dev.fencing.spring;

import dev.fencing.jdbc.FenceListener;
import dev.fencing.jdbc.JdbcFence;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Configures, in an application that has a DataSource, what it has not defined itself: the client,
 * the locks, the fence of the database and its view of the DataSource, {@link FencedTemplate} and
 * {@link Fenced}. Without it, all of that is the application's own.
 */
@AutoConfiguration(
    // The first of each pair is Boot 3's, the second Boot 4's.
    afterName = {
      "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration",
      "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
      "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
      "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
      "org.springframework.cloud.zookeeper.ZookeeperAutoConfiguration"
    })
@ConditionalOnBean(DataSource.class)
@ConditionalOnProperty(name = "fencing.enabled", matchIfMissing = true)
@EnableConfigurationProperties(FencingProperties.class)
public final class FencingAutoConfiguration {

  /** Makes the configuration. */
  public FencingAutoConfiguration() {}

  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  CuratorFramework curatorFramework(FencingProperties properties) {
    return Clients.start(properties.curator());
  }

  @Bean
  @ConditionalOnMissingBean
  FencedLocks fencedLocks(
      CuratorFramework client,
      FencingProperties properties,
      ObjectProvider<FencedLockListener> listeners) {
    return new FencedLocks(
        client, properties.root(), properties.waitTime(), listeners.orderedStream().toList());
  }

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnSingleCandidate(PlatformTransactionManager.class)
  FencedTemplate fencedTemplate(
      FencedLocks locks, JdbcFence fence, PlatformTransactionManager transactionManager) {
    return new FencedTemplate(locks, fence, transactionManager);
  }

  @Bean
  @ConditionalOnMissingBean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static FencedAnnotationPostProcessor fencedAnnotationPostProcessor() {
    return new FencedAnnotationPostProcessor();
  }

  /** The fence and the view; an application with a fence of its own has its own view as well. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(JdbcFence.class)
  static class Fence {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static FencedDataSourcePostProcessor fencedDataSourcePostProcessor(
        ObjectProvider<FencingProperties> properties, ObjectProvider<FenceListener> listeners) {
      return new FencedDataSourcePostProcessor(properties, listeners);
    }

    @Bean
    JdbcFence jdbcFence(FencedDataSourcePostProcessor dataSources) {
      return dataSources.fence();
    }

    @Bean
    @DependsOnDatabaseInitialization // Where beans are lazy, migrations run only if asked for.
    SmartInitializingSingleton fenceSchema(JdbcFence fence, FencingProperties properties) {
      return () -> { // When migrations have run.
        switch (properties.jdbc().schema()) {
          case CREATE -> fence.createSchema();
          case CHECK -> fence.checkSchema();
          case NONE -> {}
        }
      };
    }
  }
}
