package dev.fencing.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fencing.fixtures.PostgresServer;
import dev.fencing.jdbc.JdbcFence;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Flyway creates the guard table of an application that only checks it. */
class MigrationTest {

  private ApplicationContextRunner application;

  @BeforeEach
  void write(@TempDir Path migrations) throws IOException {
    Servers.dropTables();
    try (InputStream ddl =
        Objects.requireNonNull(JdbcFence.class.getResourceAsStream("postgresql.sql"))) {
      Files.write(migrations.resolve("V1__guard_table.sql"), ddl.readAllBytes());
    }
    Files.writeString(
        migrations.resolve("V2__accounts.sql"),
        "CREATE TABLE migrated (id int); INSERT INTO migrated VALUES (1);");
    application =
        Boot.application()
            .withConfiguration(
                AutoConfigurations.of(
                    Boot.oneOf(
                        "org.springframework.boot.autoconfigure.flyway.FlywayAutoConfiguration",
                        "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration")))
            .withPropertyValues(
                "fencing.jdbc.schema=check", "spring.flyway.locations=filesystem:" + migrations);
  }

  @AfterEach
  void drop() {
    Servers.SQL.execute("DROP TABLE IF EXISTS migrated, flyway_schema_history");
    Servers.dropTables();
  }

  private static void assertMigrated(ApplicationContextRunner runner) {
    runner.run(
        context -> {
          assertThat(context).hasNotFailed();
          assertThat(context.getBean(FencedTemplate.class).run("ledger", FencedHold::token))
              .isPositive();
        });
    assertThat(Servers.number("SELECT count(*) FROM migrated")).isEqualTo(1);
  }

  @Test
  void migrationsRunUnderNoHoldAndBeforeTheCheckOfTheGuardTable() {
    assertMigrated(application);
    assertMigrated(application); // With nothing to do.
  }

  @Test
  void alsoWhereBeansAreLazy() {
    assertMigrated(
        application.withInitializer(
            context ->
                context.addBeanFactoryPostProcessor(
                    new LazyInitializationBeanFactoryPostProcessor())));
  }

  @Test
  void whereWritesUnderNoHoldAreRefusedTheyNeedAConnectionOfTheirOwn() {
    ApplicationContextRunner refusing =
        application.withPropertyValues("fencing.jdbc.unbound=refuse");
    refusing.run(
        context -> assertThat(context).getFailure().hasStackTraceContaining("under no hold"));
    assertMigrated(
        refusing.withPropertyValues(
            "spring.flyway.url=" + PostgresServer.shared().url(),
            "spring.flyway.user=" + PostgresServer.shared().user()));
  }
}
