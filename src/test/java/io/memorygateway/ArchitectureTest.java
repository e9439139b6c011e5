package io.memorygateway;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Who may know whom. Arrows between the rooms point one way. */
@AnalyzeClasses(
    packagesOf = MemoryGatewayApplication.class,
    importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String ROOT = "io.memorygateway.";

  @ArchTest
  static final ArchRule HTTP_KNOWS_NO_OTHER_ROOM =
      noClasses()
          .that()
          .resideInAPackage(ROOT + "http")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              ROOT + "auth",
              ROOT + "ratelimit",
              ROOT + "proxy",
              ROOT + "dialect",
              ROOT + "memory",
              ROOT + "turn",
              ROOT + "observation",
              ROOT + "usage",
              ROOT + "ops");

  @ArchTest
  static final ArchRule AUTH_KNOWS_ONLY_HTTP =
      noClasses()
          .that()
          .resideInAPackage(ROOT + "auth")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              ROOT + "ratelimit",
              ROOT + "proxy",
              ROOT + "dialect",
              ROOT + "memory",
              ROOT + "turn",
              ROOT + "observation",
              ROOT + "usage",
              ROOT + "ops");

  @ArchTest
  static final ArchRule DIALECTS_KNOW_NOBODY =
      noClasses()
          .that()
          .resideInAPackage(ROOT + "dialect")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.dropwizard..",
              "org.eclipse.jetty..",
              "jakarta.ws.rs..",
              ROOT + "http",
              ROOT + "auth",
              ROOT + "ratelimit",
              ROOT + "proxy",
              ROOT + "memory",
              ROOT + "turn",
              ROOT + "observation",
              ROOT + "usage",
              ROOT + "ops")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule NOBODY_KNOWS_THE_PROXY_BUT_THE_APPLICATION =
      noClasses()
          .that()
          .resideInAnyPackage(
              ROOT + "ratelimit",
              ROOT + "memory",
              ROOT + "turn",
              ROOT + "observation",
              ROOT + "usage",
              ROOT + "ops")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(ROOT + "proxy");

  @ArchTest
  static final ArchRule MEMORY_DOES_NOT_KNOW_WHO_USES_IT =
      noClasses()
          .that()
          .resideInAPackage(ROOT + "memory")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(ROOT + "turn", ROOT + "transfer");

  @ArchTest
  static final ArchRule OBSERVATION_DOES_NOT_KNOW_MEMORY_RESOURCES =
      noClasses()
          .that()
          .resideInAPackage(ROOT + "observation")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(ROOT + "memory")
          .allowEmptyShould(true);
}
