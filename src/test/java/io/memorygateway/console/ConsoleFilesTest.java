package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Contract §12: nothing is built, nothing is loaded from elsewhere, and what is of others is known.
 */
class ConsoleFilesTest {
  private static final Path FOLDER = Path.of("src/main/resources/console");
  private static final Path VENDOR = FOLDER.resolve("vendor");

  static Stream<Path> ownFiles() throws IOException {
    try (Stream<Path> files = Files.walk(FOLDER)) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> !file.startsWith(VENDOR))
          .collect(Collectors.toList())
          .stream();
    }
  }

  @Test
  void everyFileOfOthersIsTheOneOfItsPackageWithItsLicence() throws Exception {
    Set<String> expected = new TreeSet<>(Set.of("vendor.json"));
    for (JsonNode part : vendor().path("packages")) {
      assertThat(part.path("version").asText()).matches("\\d+\\.\\d+\\.\\d+");
      assertThat(part.path("purl").asText())
          .isEqualTo("pkg:npm/" + part.path("name").asText() + "@" + part.path("version").asText());
      String licence = part.path("licenceFile").asText();
      assertThat(Files.readString(VENDOR.resolve(licence)))
          .contains(part.path("licence").asText().equals("MIT") ? "MIT License" : "Apache License");
      expected.add(licence);
      for (JsonNode file : part.path("files")) {
        String name = file.path("file").asText();
        expected.add(name);
        String text = Files.readString(VENDOR.resolve(name));
        assertThat(sha256(text)).as(name).isEqualTo(file.path("sha256").asText());
        if (file.has("edit")) {
          String original =
              text.replace(
                  file.path("edit").path("to").asText(), file.path("edit").path("from").asText());
          assertThat(sha256(original)).as(name).isEqualTo(file.path("packageSha256").asText());
        }
      }
    }
    assertThat(VENDOR.toFile().list()).containsExactlyInAnyOrderElementsOf(expected);
  }

  /** The policy of the pages would stop most of this in the browser; this says so before. */
  @ParameterizedTest
  @MethodSource("ownFiles")
  void noFileLoadsFromElsewhereOrWritesMarkup(Path file) throws Exception {
    String text = Files.readString(file).replace("http://www.w3.org/2000/svg", "");
    assertThat(text)
        .doesNotContain("http://", "https://", "//cdn", "@import")
        .doesNotContain("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write")
        .doesNotContain("eval(", "new Function", "<style", "javascript:")
        .doesNotContainPattern("\\sstyle=[\"']")
        .doesNotContainPattern("\\son[a-z]+=[\"']");
    assertThat(Files.readAllLines(file).size()).as("lines of " + file).isLessThanOrEqualTo(450);
  }

  @ParameterizedTest
  @MethodSource("ownFiles")
  void everyImportNamesAFile(Path file) throws Exception {
    Matcher imported = Pattern.compile("from '([^']+)'").matcher(Files.readString(file));
    while (imported.find()) {
      assertThat(file.resolveSibling(imported.group(1))).as(file.toString()).isRegularFile();
    }
  }

  @Test
  void theNoticeOfThirdPartiesNamesThem() throws Exception {
    Path meta = Path.of("src/main/resources/META-INF");
    String notice = Files.readString(meta.resolve("THIRD-PARTY-console.txt"));
    JsonNode sbom = new ObjectMapper().readTree(meta.resolve("sbom/console.cdx.json").toFile());
    List<String> components = new ArrayList<>();
    for (JsonNode part : vendor().path("packages")) {
      String licence = part.path("licence").asText();
      components.add(part.path("purl").asText() + " " + licence);
      assertThat(notice)
          .contains(
              "(%s) %s %s: console/vendor/%s\n"
                  .formatted(
                      licence,
                      part.path("name").asText(),
                      part.path("version").asText(),
                      part.path("licenceFile").asText()));
    }
    assertThat(sbom.path("components"))
        .extracting(
            part -> part.path("purl").asText() + " " + part.at("/licenses/0/license/id").asText())
        .containsExactlyElementsOf(components);
  }

  private static JsonNode vendor() throws IOException {
    return new ObjectMapper().readTree(VENDOR.resolve("vendor.json").toFile());
  }

  private static String sha256(String text) throws Exception {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
  }
}
