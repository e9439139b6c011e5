package io.memorygateway.format;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The formats know no server, no store and no other package of the gateway. */
@AnalyzeClasses(
    packages = "io.memorygateway.format",
    importOptions = ImportOption.DoNotIncludeTests.class)
class FormatIsPureTest {
  @ArchTest
  static final ArchRule dependsOnTheJsonParserOnly =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.memorygateway.format..",
              "io.memorygateway.figures",
              "io.memorygateway.secret",
              "com.fasterxml.jackson.core..",
              "io.memorygateway.json",
              "io.memorygateway.sse",
              "java.io",
              "java.lang..",
              "java.nio..",
              "java.security",
              "java.util..",
              "org.jspecify..");
}
