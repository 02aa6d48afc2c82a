package dev.fencing.curator;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.reflect.Modifier;
import java.util.List;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.junit.jupiter.api.Test;

/** What the main classes may use and what they may offer. */
class ArchitectureTest {

  private final JavaClasses main =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.fencing.curator");

  @Test
  void rulesSeeTheMainClasses() {
    assertThat(main.contain(InterProcessFencedMutex.class)).isTrue();
    assertThat(main.contain(ArchitectureTest.class)).isFalse();
  }

  @Test
  void noWallClock() {
    noClasses().should().callMethod(System.class, "currentTimeMillis").check(main);
    noClasses().should().dependOnClassesThat().belongToAnyOf(java.time.Clock.class).check(main);
    noClasses().should().callMethod(java.time.Instant.class, "now").check(main);
  }

  @Test
  void noJdbcAndNoOtherModule() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.sql..", "javax.sql..", "dev.fencing.jdbc..")
        .check(main);
  }

  @Test
  void exceptionIsDeclaredOnlyWhereTheMutexInterfaceDoes() {
    // Work is generic in what it throws; a bare Exception would force itself on callers.
    assertThat(
            main.stream()
                .filter(type -> !type.isAssignableTo(InterProcessMutex.class))
                .filter(type -> !type.isEquivalentTo(FencedLeaderListener.class)) // the user's work
                .flatMap(type -> type.getMethods().stream())
                .map(JavaMethod::reflect)
                .filter(method -> Modifier.isPublic(method.getDeclaringClass().getModifiers()))
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(m -> List.of(m.getGenericExceptionTypes()).contains(Exception.class)))
        .isEmpty();
    methods()
        .that()
        .areDeclaredIn(InterProcessFencedMutex.class)
        .and()
        .arePublic()
        .and()
        .haveNameNotMatching("acquire.*|release")
        .should()
        .notDeclareThrowableOfType(Exception.class)
        .check(main);
  }

  @Test
  void noCycleOfClasses() {
    slices().matching("dev.fencing.(**)").should().beFreeOfCycles().check(main);
  }

  @Test
  void onlyTheTypesOfTheContractArePublic() {
    classes()
        .that()
        .arePublic()
        .and()
        .areTopLevelClasses()
        .should()
        .haveNameMatching(
            ".*\\.(InterProcessFencedMutex|FencedLeaderListener|FencedLeaderSelector|FencedLease"
                + "|FencingToken|FencedRegister"
                + "|InterProcessFencedReadWriteLock|LeaseLostException"
                + "|LeaseLostListener|StaleFencingTokenException|TokenOrderException)")
        .check(main);
  }
}
