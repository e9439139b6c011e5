package io.memorygateway.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The files that a release is made of agree with one another and with what is promised of them. */
class ReleaseFilesTest {
  private static final String VERSION = "\\[\\d+\\.\\d+\\.\\d+(-rc\\.\\d+)?]";

  @Test
  void allNameTheSameVersion() throws IOException {
    String version = first("pom.xml", "<revision>(.+)</revision>");
    assertThat(first("ops/helm/Chart.yaml", "(?m)^version: (.+)$")).isEqualTo(version);
    assertThat(first("ops/helm/Chart.yaml", "(?m)^appVersion: \"(.+)\"$")).isEqualTo(version);
    assertThat(first("src/test/resources/openapi/document.yaml", "(?m)^ +version: (.+)$"))
        .isEqualTo(version);
    assertThat(all("ops/Dockerfile", "(?m)^ARG VERSION=(.+)$")).containsOnly(version);
  }

  @Test
  void theImageIsBuiltUponDigestsAndRunsWithoutRoot() throws IOException {
    assertThat(all("ops/Dockerfile", "(?m)^FROM (\\S+)"))
        .hasSize(2)
        .allMatch(image -> image.matches(".+@sha256:[0-9a-f]{64}"));
    assertThat(first("ops/Dockerfile", "(?m)^USER (\\d+):\\d+$")).isNotEqualTo("0");
    assertThat(all("ops/Dockerfile", "-XX:AOTCache(?:Output)?=([^\" ]+)"))
        .hasSize(2)
        .containsOnly("/opt/memory-gateway/classes.aot");
    assertThat(text("ops/Dockerfile"))
        .contains("HEALTHCHECK", "/health-check?type=alive", "image.revision", "image.licenses");
  }

  /** Unreleased first, then versions with their dates, newest first, and only known headings. */
  @Test
  void theChangelogHasTheFormOfKeepAChangelog() throws IOException {
    List<String> sections = all("CHANGELOG.md", "(?m)^## (.+)$");
    assertThat(sections).first().isEqualTo("[Unreleased]");
    assertThat(sections.subList(1, sections.size()))
        .allMatch(section -> section.matches(VERSION + " - \\d{4}-\\d\\d-\\d\\d"));
    assertThat(all("CHANGELOG.md", "(?m)^### (.+)$"))
        .isSubsetOf("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security");
  }

  /** What stands in its head, and nothing is done. */
  @Test
  void everyScriptOfOperatorsTellsWhatItIsFor() throws Exception {
    List<Path> scripts;
    try (Stream<Path> all = Files.walk(Path.of("ops"))) {
      scripts = all.filter(file -> !file.startsWith("ops/bench") && isScript(file)).toList();
    }
    assertThat(scripts).hasSizeGreaterThan(20);
    for (Path script : scripts) {
      String text = Files.readString(script);
      assertThat(text)
          .as("%s", script)
          .containsAnyOf("-h | --help)", "/common.sh\"", "/faults/common.sh\"");
      Process process =
          new ProcessBuilder(script.toString(), "--help").redirectErrorStream(true).start();
      String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as("%s: %s", script, told).isZero();
      assertThat(text.lines().toList().get(1)).endsWith(told.lines().findFirst().orElseThrow());
    }
  }

  private static boolean isScript(Path file) {
    try {
      return Files.isRegularFile(file)
          && Files.isExecutable(file)
          && Files.readString(file).startsWith("#!/usr/bin/env bash\n#");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String first(String file, String pattern) throws IOException {
    List<String> found = all(file, pattern);
    assertThat(found).as("%s in %s", pattern, file).isNotEmpty();
    return found.get(0);
  }

  private static List<String> all(String file, String pattern) throws IOException {
    Matcher matcher = Pattern.compile(pattern).matcher(text(file));
    return matcher.results().map(found -> found.group(1)).toList();
  }

  private static String text(String file) throws IOException {
    return Files.readString(Path.of(file));
  }
}
