package io.memorygateway.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The threat model names every party, and for each threat a test. That the tests are there, {@link
 * DocumentsTest} sees.
 */
class SecurityDocumentTest {
  private static final Pattern NAMED_TEST = Pattern.compile("`[A-Z]\\w*(?:Test|IT)`");

  private final String text = Files.readString(Path.of("SECURITY.md"));

  SecurityDocumentTest() throws IOException {}

  @Test
  void everyPartyIsInTheThreatModel() {
    assertThat(text)
        .contains(
            "**Somebody without a key**",
            "**A caller**",
            "**Another project**",
            "**An upstream**",
            "**A browser**",
            "**An operator**",
            "**A reader of the database**",
            "**A supplier**");
  }

  @Test
  void everyThreatNamesWhatDefendsAndATestThatShowsIt() {
    List<String[]> threats =
        text.lines()
            .filter(line -> line.startsWith("| ") && !line.startsWith("| what could happen"))
            .map(line -> line.split(" \\| ", -1))
            .toList();
    assertThat(threats).hasSizeGreaterThan(15);
    for (String[] threat : threats) {
      assertThat(threat).as(threat[0]).hasSize(3);
      assertThat(threat[1]).as(threat[0]).isNotBlank();
      assertThat(threat[2]).as(threat[0]).containsPattern(NAMED_TEST);
    }
  }
}
