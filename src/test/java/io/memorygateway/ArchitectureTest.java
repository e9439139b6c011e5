package io.memorygateway;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget.FieldAccessTarget;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The picture of the house: every room and the neighbours that it may know. What is not listed is
 * forbidden, and so is a room that is not listed. The application alone knows all rooms. A room is
 * small enough to be read: it has few files, and no large circle of classes.
 */
@AnalyzeClasses(
    packagesOf = MemoryGatewayApplication.class,
    importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String ROOT = "io.memorygateway";
  private static final String APPLICATION = "application";
  private static final int MAX_CIRCLE = 3;
  private static final int MAX_FILES = 45;
  private static final int MAX_LINES = 450;

  /** From the leaves up. */
  private static final String HOUSE =
      """
      concurrent       ->
      json             ->
      price            ->
      figures          -> price
      http.errors      -> json
      http.api         -> figures http.errors
      database         -> concurrent json http.errors
      http.admission   -> concurrent http.errors
      http.arrival     -> json http.errors http.admission
      http.setup       -> concurrent http.errors http.api http.admission http.arrival
      http             ->
      budget           -> json price database
      audit            -> json database
      operator         -> json http.errors http.api database audit
      auth             -> json http.errors http.api database http.admission audit operator budget
      memory.rows      -> json http.errors database auth
      memory.limit     -> json http.errors database memory.rows
      memory.replay    -> json http.errors database http.admission auth memory.rows memory.limit
      memory.read      -> database auth memory.rows
      format.content   -> json
      language         ->
      observation.text -> format.content language
      observation      -> concurrent json http.api database memory.rows format.content observation.text
      memory.write     -> concurrent json http.errors http.api database auth memory.rows memory.limit memory.replay memory.read observation
      ratelimit.window -> concurrent http.api database
      ratelimit        -> concurrent http.errors http.api database http.admission auth ratelimit.window
      usage            -> concurrent figures json price http.errors database operator budget
      ops              -> concurrent json price database http.errors operator memory.limit memory.replay memory.write ratelimit usage
      access           -> concurrent figures price http.errors http.api ops
      admin            -> concurrent json http.errors http.api database audit operator auth
      memory           -> database memory.limit memory.replay memory.read observation memory.write
      proxy.circuit    ->
      embedding        -> concurrent json database format.content proxy.circuit
      search           -> http.errors database http.admission auth memory.rows format.content language embedding
      memory.api       -> json http.errors http.api database http.admission http.arrival auth memory.rows memory.limit memory.replay memory.read format.content observation memory.write memory search
      openapi          -> json http.errors
      sse              -> json
      secret           -> json sse
      format.answer    -> figures json format.content sse secret
      format.align     -> json format.content
      format.call      -> json format.content format.align
      format.translation -> figures json format.content sse format.call
      format           -> json format.content sse format.answer format.call format.translation
      format.messages  -> figures json format.content sse format.answer format.call format.translation format
      format.chat      -> figures json format.content sse format.answer format.call format.translation format
      format.responses -> figures json format.content sse format.answer format.call format.translation format
      proxy.upstream   -> concurrent http.admission http.arrival auth
      proxy.route      -> json http.errors http.api auth proxy.circuit secret format.call format.translation format format.messages format.chat format.responses proxy.upstream
      budget.hold      -> concurrent json price http.errors http.api database budget auth ratelimit.window proxy.route
      tracing          -> figures price http.api
      turn             -> concurrent json http.errors database http.admission auth memory.rows memory.limit memory.replay format.content observation.text observation memory.write memory search sse format.answer format.align format.call format
      proxy.count      -> concurrent figures json format.content observation.text sse format.answer format.call format.translation format proxy.route
      proxy.call       -> concurrent figures json price http.errors http.api http.admission http.arrival http.setup auth memory.replay format.content observation.text usage proxy.circuit sse secret format.answer format.call format.translation format proxy.upstream proxy.route proxy.count tracing turn budget budget.hold
      proxy.own        -> concurrent figures json http.errors http.api operator observation.text proxy.circuit embedding sse secret format.answer format proxy.upstream proxy.route tracing proxy.call
      transfer         -> json http.errors database audit operator memory.rows format.content
      move             -> http.errors database audit operator budget memory.rows memory.write usage
      console          -> concurrent figures json price http.errors http.api database http.admission http.arrival audit operator auth budget budget.hold memory.rows memory.limit memory.write ratelimit.window ratelimit usage memory memory.api openapi proxy.own transfer
      http.admin       -> http.errors http.api
      proxy            -> concurrent json price http.setup operator observation.text usage embedding proxy.upstream proxy.route tracing turn proxy.count proxy.call proxy.own
      """;

  @ArchTest static final ArchRule EVERY_ROOM_KNOWS_ITS_NEIGHBOURS_ONLY = house();

  @ArchTest
  static final ArchRule ROOMS_FORM_NO_CIRCLE =
      slices().matching(ROOT + ".(**)").should().beFreeOfCycles();

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

  /** What two resources need is a service that both call. */
  @ArchTest
  static final ArchRule NO_RESOURCE_CALLS_ANOTHER =
      noClasses()
          .that()
          .haveSimpleNameEndingWith("Resource")
          .should()
          .dependOnClassesThat()
          .haveSimpleNameEndingWith("Resource");

  /**
   * By its own clock, a node removed what others had only begun to keep. Only what a pause of the
   * machine shows in, what is of this node alone, and what needs no database may ask for it.
   */
  @ArchTest
  static final ArchRule TIMES_ARE_THOSE_OF_THE_DATABASE =
      noClasses()
          .that()
          .haveNameNotMatching(
              ".*\\.(DatabaseClock|RateLimitModule|BudgetModule|DrainModule|ProxyModule|RequestId"
                  + "|ChatAnswerWriter|ResponsesAnswer|Commands)")
          .should()
          .callMethod(Clock.class, "systemUTC")
          .orShould()
          .callMethod(InstantSource.class, "system")
          .orShould()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(System.class, "currentTimeMillis");

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
          "price.PriceTable",
          "proxy.upstream.OutboundProxy",
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

  /** Classes of a circle can only be read, moved and tested together. */
  @ArchTest
  static void noMoreThanThreeClassesFormACircle(JavaClasses classes) {
    Map<String, Set<String>> known = new HashMap<>();
    for (JavaClass each : classes) {
      Set<String> targets = known.computeIfAbsent(file(each), name -> new HashSet<>());
      each.getDirectDependenciesFromSelf().stream()
          .map(dependency -> dependency.getTargetClass().getBaseComponentType())
          .filter(target -> target.getPackageName().startsWith("io.memorygateway"))
          .forEach(target -> targets.add(file(target)));
    }
    Map<String, Set<String>> reached =
        known.keySet().stream().collect(Collectors.toMap(c -> c, c -> reached(c, known)));
    for (String each : known.keySet()) {
      Set<String> circle = new HashSet<>(reached.get(each));
      circle.removeIf(other -> !reached.getOrDefault(other, Set.of()).contains(each));
      assertThat(circle).as("circle of " + each).hasSizeLessThanOrEqualTo(MAX_CIRCLE);
    }
  }

  /**
   * What knows a format by its name, besides the format's own room: the four that have a line of
   * each one; and the readers of what is stored, which does not say its format but by the names of
   * its parts.
   */
  private static final Set<String> KNOWING_FORMATS =
      Set.of(
          "http.api.ApiPath",
          "format.content.Shape",
          "proxy.route.Endpoint",
          "proxy.call.LlmResource",
          "format.content.MediaParts",
          "format.content.Part",
          "format.content.PartReader",
          "format.content.StoredMessage",
          "format.content.ToolKind");

  private static final Set<String> FORMATS = Set.of("CHAT", "MESSAGES", "RESPONSES");
  private static final Set<String> NAMING = Set.of("ApiPath", "Endpoint", "Shape");

  /** Else a new format is a change of all that compares formats. */
  @ArchTest
  static void fewKnowAFormatByItsName(JavaClasses classes) {
    Set<String> knowing = new TreeSet<>();
    for (JavaClass each : classes) {
      Stream<JavaClass> used =
          each.getDirectDependenciesFromSelf().stream().map(Dependency::getTargetClass);
      Stream<FieldAccessTarget> read =
          each.getFieldAccessesFromSelf().stream().map(JavaFieldAccess::getTarget);
      boolean knows =
          used.anyMatch(ArchitectureTest::isOfOneFormat)
              || read.anyMatch(
                  field ->
                      FORMATS.contains(field.getName())
                          && NAMING.contains(field.getOwner().getSimpleName()));
      if (knows && !isOfOneFormat(each)) {
        knowing.add(file(each).substring(ROOT.length() + 1));
      }
    }
    assertThat(knowing).isEqualTo(new TreeSet<>(KNOWING_FORMATS));
  }

  private static boolean isOfOneFormat(JavaClass each) {
    return FORMATS.stream()
        .map(format -> ROOT + ".format." + format.toLowerCase(Locale.ROOT))
        .anyMatch(each.getPackageName()::equals);
  }

  private static Set<String> reached(String from, Map<String, Set<String>> known) {
    Set<String> reached = new HashSet<>();
    Deque<String> next = new ArrayDeque<>(known.get(from));
    while (!next.isEmpty()) {
      String each = next.pop();
      if (reached.add(each)) {
        next.addAll(known.getOrDefault(each, Set.of()));
      }
    }
    return reached;
  }

  /** The name of the class that has a file of its own. */
  private static String file(JavaClass each) {
    return each.getName().split("\\$", -1)[0];
  }

  @Test
  void aRoomHasAtMostFortyFiveFiles() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      Map<Path, Long> rooms =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> !file.endsWith("package-info.java"))
              .collect(groupingBy(Path::getParent, counting()));
      assertThat(rooms).allSatisfy((room, n) -> assertThat(n).isLessThanOrEqualTo(MAX_FILES));
    }
  }

  @Test
  void aFileHasAtMostFourHundredAndFiftyLines() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(Files.readAllLines(file)).as("%s", file).hasSizeLessThanOrEqualTo(MAX_LINES);
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
