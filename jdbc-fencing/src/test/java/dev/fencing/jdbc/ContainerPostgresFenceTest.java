package dev.fencing.jdbc;

import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.postgresql.ds.PGSimpleDataSource;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** Needs a Docker engine; skipped with a message without one. */
@Tag("containers")
@Testcontainers(disabledWithoutDocker = true)
class ContainerPostgresFenceTest extends PostgresFenceContract {

  @Container
  private static final PostgreSQLContainer SERVER = new PostgreSQLContainer("postgres:18");

  @Override
  DataSource dataSource() {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(SERVER.getJdbcUrl());
    dataSource.setUser(SERVER.getUsername());
    dataSource.setPassword(SERVER.getPassword());
    return dataSource;
  }
}
