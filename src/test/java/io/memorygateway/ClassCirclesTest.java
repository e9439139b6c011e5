package io.memorygateway;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What keeps a room small enough to be read: few files, and no large circle of classes. */
@AnalyzeClasses(
    packagesOf = MemoryGatewayApplication.class,
    importOptions = DoNotIncludeTests.class)
class ClassCirclesTest {
  private static final int MAX_CIRCLE = 3;
  private static final int MAX_FILES = 45;
  private static final int MAX_LINES = 450;

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
}
