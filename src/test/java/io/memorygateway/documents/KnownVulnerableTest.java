package io.memorygateway.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * No library that is built or tested with is on the list of versions with known vulnerabilities.
 * What a list without a network cannot tell stands in {@code SECURITY.md}.
 */
class KnownVulnerableTest {
  private final KnownVulnerabilities known =
      KnownVulnerabilities.read(Path.of("ops/security/known-vulnerable.tsv"));

  KnownVulnerableTest() throws Exception {}

  @Test
  void noLibraryOnTheClassPathIsListed() {
    List<Path> jars = classPath();
    assertThat(jars).hasSizeGreaterThan(100);
    for (KnownVulnerabilities.Entry entry : known.entries()) {
      String[] name = entry.library().split(":", 2);
      Path folder = Path.of(name[0].replace('.', '/'), name[1]);
      assertThat(jars)
          .as(entry.advisory())
          .filteredOn(jar -> jar.getParent().getParent().endsWith(folder))
          .noneMatch(jar -> entry.affects(jar.getParent().getFileName().toString()));
    }
  }

  @Test
  void theListKnowsTheLibrariesThatMatterMost() {
    assertThat(known.entries())
        .extracting(KnownVulnerabilities.Entry::library)
        .contains(
            "com.fasterxml.jackson.core:jackson-databind",
            "com.mysql:mysql-connector-j",
            "org.eclipse.jetty:jetty-http");
  }

  @Test
  void aRangeEndsBeforeTheVersionWithTheFix() {
    var range = new KnownVulnerabilities.Range("2.19.0", "2.21.5");
    assertThat(List.of("2.19.0", "2.20", "2.21.4", "2.21.4-jre")).allMatch(range::holds);
    assertThat(List.of("2.18.9", "2.21.5", "2.21.10", "3.0.0")).noneMatch(range::holds);
  }

  private static List<Path> classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(Path::of)
        .filter(file -> file.toString().endsWith(".jar") && file.getNameCount() > 3)
        .toList();
  }
}
