package dev.fencing.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.fencing.spring");

  @Test
  void onlyTheConfigurationsKnowBoot() {
    noClasses()
        .that()
        .haveNameNotMatching(".*\\.(Fencing.*|Clients|FencedDataSourcePostProcessor)")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.springframework.boot..")
        .check(MAIN);
  }

  @Test
  void whatIsOptionalIsKnownToThoseThatNeedIt() {
    noClasses()
        .that()
        .haveNameNotMatching(".*\\.PersistenceContexts(\\$.*)?")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("jakarta.persistence..", "org.springframework.orm..")
        .check(MAIN);
    noClasses()
        .that()
        .haveNameNotMatching(".*\\.(FencedLockMetrics|FencingMetricsAutoConfiguration)")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.micrometer..")
        .check(MAIN);
  }

  @Test
  void noDecisionReadsTheWallClock() {
    noClasses().should().callMethod(System.class, "currentTimeMillis").check(MAIN);
    noClasses().should().dependOnClassesThat().areAssignableTo(java.time.Clock.class).check(MAIN);
  }
}
