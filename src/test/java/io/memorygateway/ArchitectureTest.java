package io.memorygateway;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The picture of the house: every room and the neighbours that it may know. What is not listed is
 * forbidden, and so is a room that is not listed. The application alone knows all rooms.
 */
@AnalyzeClasses(
    packagesOf = MemoryGatewayApplication.class,
    importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String ROOT = "io.memorygateway";
  private static final String APPLICATION = "application";

  /** From the leaves up. */
  private static final String HOUSE =
      """
      concurrent       ->
      json             ->
      sse              -> json
      language         ->
      dialect          -> json sse
      http             -> json concurrent
      database         -> json concurrent http
      audit            -> json database
      operator         -> audit database http
      auth             -> json http database audit operator
      admin            -> json concurrent http database audit operator auth
      console          -> openapi json concurrent http database audit operator auth usage ratelimit ratelimit.window memory memory.api proxy transfer
      ratelimit.window -> concurrent http database
      ratelimit        -> ratelimit.window concurrent auth http database
      proxy.circuit    ->
      embedding        -> json concurrent http database dialect proxy.circuit
      observation.text -> language dialect
      observation      -> json concurrent http database dialect observation.text
      memory           -> json concurrent http database auth dialect observation
      search           -> json concurrent language http database auth dialect embedding memory
      memory.api       -> json http database auth dialect observation memory search
      turn             -> json sse concurrent http database auth dialect observation observation.text memory search
      usage            -> json concurrent http database operator
      tracing          -> http
      proxy            -> proxy.circuit json sse concurrent http database operator auth dialect embedding observation observation.text memory turn usage tracing
      transfer         -> json http dialect database audit operator memory
      openapi          -> json http
      ops              -> json concurrent http database operator auth ratelimit memory usage
      access           -> json concurrent http ops
      """;

  @ArchTest static final ArchRule EVERY_ROOM_KNOWS_ITS_NEIGHBOURS_ONLY = house();

  /** The tests of what makes text need no server. */
  @ArchTest
  static final ArchRule TEXT_IS_MADE_WITHOUT_A_DATABASE =
      noClasses()
          .that()
          .resideInAPackage(ROOT + ".observation.text")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.jdbi..", "java.sql..", "javax.sql..", "jakarta..", "io.dropwizard..");

  /** A second pool once lacked what the first one was tuned with. */
  @ArchTest
  static final ArchRule POOLS_ARE_OPENED_IN_ONE_PLACE =
      noClasses()
          .that()
          .doNotHaveFullyQualifiedName(ROOT + ".database.ConnectionPools")
          .should()
          .callMethod(
              io.dropwizard.db.DataSourceFactory.class,
              "build",
              com.codahale.metrics.MetricRegistry.class,
              String.class);

  /**
   * Classes whose patterns see nothing of callers, upstreams and models but the operator's own
   * words, templates of paths, and what the database says of itself; and one whose patterns are
   * lists of words, which repeat nothing.
   */
  private static final Set<String> WITH_PATTERNS =
      Set.of(
          "access.MatchedEndpoint",
          "admin.PasswordHash",
          "database.Database",
          "database.DatabaseFailure",
          "database.DatabaseServer",
          "database.Migrations",
          "database.SessionLimits",
          "language.RelativeDates",
          "operator.AuditCommand",
          "operator.RemoteGateway",
          "ops.EnvironmentConfigurationFactory",
          "ops.LogLevelTask",
          "ops.StartFailure",
          "ops.WrongValue",
          "tracing.TracingSettings");

  /** A pattern goes back on a text that it does not match, which can take the square of it. */
  @ArchTest
  static final ArchRule FOREIGN_TEXT_IS_READ_WITHOUT_PATTERNS =
      noClasses()
          .that(
              describe(
                  "are not in WITH_PATTERNS",
                  read ->
                      WITH_PATTERNS.stream()
                          .noneMatch(
                              name -> (read.getName() + "$").startsWith(ROOT + "." + name + "$"))))
          .should()
          .dependOnClassesThat()
          .resideInAPackage("java.util.regex")
          .orShould()
          .callMethod(String.class, "matches", String.class)
          .orShould()
          .callMethod(String.class, "replaceAll", String.class, String.class)
          .orShould()
          .callMethod(String.class, "replaceFirst", String.class, String.class);

  private static final Pattern SPLIT =
      Pattern.compile("\\.split\\((?!\"(?:[^.$|()\\[{^?*+\\\\]|\\\\n)\"[,)])");

  /** Then no pattern is made. */
  @Test
  void textsAreSplitAtOneCharacterThatMeansItself() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        assertThat(Files.readString(file)).as(file.toString()).doesNotContainPattern(SPLIT);
      }
    }
  }

  private static ArchRule house() {
    Map<String, String[]> rooms = new LinkedHashMap<>();
    HOUSE
        .lines()
        .map(line -> line.split("->", -1))
        .forEach(
            sides ->
                rooms.put(
                    sides[0].strip(),
                    Arrays.stream(sides[1].split(" "))
                        .filter(neighbour -> !neighbour.isEmpty())
                        .toArray(String[]::new)));
    LayeredArchitecture house =
        layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .withOptionalLayers(true)
            .layer(APPLICATION)
            .definedBy(ROOT);
    for (String layer : rooms.keySet()) {
      house = house.layer(layer).definedBy(ROOT + "." + layer);
    }
    for (Map.Entry<String, String[]> layer : rooms.entrySet()) {
      house =
          layer.getValue().length == 0
              ? house.whereLayer(layer.getKey()).mayNotAccessAnyLayer()
              : house.whereLayer(layer.getKey()).mayOnlyAccessLayers(layer.getValue());
    }
    return house.ensureAllClassesAreContainedInArchitecture();
  }
}
