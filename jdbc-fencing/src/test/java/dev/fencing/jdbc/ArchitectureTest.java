package dev.fencing.jdbc;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.fencing.jdbc");

  @Test
  void theModuleKnowsJavaSqlAndNoLockServiceDriverOrLogger() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.fencing.jdbc.micrometer")
        .should()
        .dependOnClassesThat()
        .resideOutsideOfPackages(
            "dev.fencing.jdbc..",
            "java.lang..",
            "java.math..",
            "java.io..",
            "java.net..",
            "java.nio..",
            "java.security..",
            "java.sql..",
            "java.time..",
            "java.util..",
            "javax.sql..",
            "org.jspecify..")
        .check(MAIN);
  }

  @Test
  void noDecisionReadsTheWallClock() {
    noClasses().should().callMethod(System.class, "currentTimeMillis").check(MAIN);
    noClasses().should().dependOnClassesThat().areAssignableTo(java.time.Clock.class).check(MAIN);
  }

  @Test
  void onlyTheLeaseSourceThrowsException() {
    // Callbacks are generic in what they throw; a bare Exception would force itself on callers.
    assertThat(
            MAIN.stream()
                .flatMap(type -> type.getMethods().stream())
                .map(JavaMethod::reflect)
                .filter(m -> List.of(m.getGenericExceptionTypes()).contains(Exception.class))
                .map(m -> m.getDeclaringClass().getSimpleName()))
        .containsOnly("LeaseSource");
  }
}
