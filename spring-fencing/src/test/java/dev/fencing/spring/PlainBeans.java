package dev.fencing.spring;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.jdbc.FencedDataSource;
import dev.fencing.jdbc.FencedDataSource.Unbound;
import dev.fencing.jdbc.JdbcFence;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** The beans that an application without Boot defines. */
@Configuration(proxyBeanMethods = false)
@EnableTransactionManagement
class PlainBeans {

  @Bean
  HikariDataSource pool() {
    return Servers.pool(8);
  }

  @Bean
  JdbcFence fence(HikariDataSource pool) {
    JdbcFence fence = JdbcFence.of(pool);
    fence.createSchema();
    return fence;
  }

  @Bean
  @Primary
  DataSource fenced(JdbcFence fence) {
    return new FencedDataSource(fence, Unbound.PASS);
  }

  @Bean
  PlatformTransactionManager transactionManager(DataSource dataSource) {
    return new JdbcTransactionManager(dataSource);
  }

  @Bean
  JdbcTemplate jdbc(DataSource dataSource) {
    return new JdbcTemplate(dataSource);
  }

  @Bean(initMethod = "start", destroyMethod = "close")
  CuratorFramework client() {
    return Servers.client();
  }

  @Bean
  FencedLocks locks(CuratorFramework client) {
    return new FencedLocks(client, "/fencing");
  }

  @Bean
  FencedTemplate template(
      FencedLocks locks, JdbcFence fence, PlatformTransactionManager transactionManager) {
    return new FencedTemplate(locks, fence, transactionManager);
  }

  @Bean
  static FencedAnnotationPostProcessor fencedMethods() {
    return new FencedAnnotationPostProcessor();
  }
}
