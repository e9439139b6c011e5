package io.memorygateway.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What the documents link to, and the tests that they name, are there. */
class DocumentsTest {
  private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:|mailto:)([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.+?) *$");
  private static final Pattern TEST = Pattern.compile("`([A-Z]\\w*(?:Test|IT))`");

  private static final Pattern CLASS = Pattern.compile("`([A-Z][a-z]+(?:[A-Z][a-z]+)+)[`.]");
  private static final Pattern WORD = Pattern.compile("\\b[A-Z]\\w+");

  @Test
  void everyLinkLeadsToAFileAndAHeading() throws IOException {
    for (Path document : SourceTree.documents()) {
      for (MatchResult link : LINK.matcher(Files.readString(document)).results().toList()) {
        String[] target = link.group(1).split("#", 2);
        Path file = target[0].isEmpty() ? document : document.resolveSibling(target[0]).normalize();
        assertThat(file).as("%s in %s", link.group(1), document).exists();
        if (target.length == 2) {
          assertThat(anchors(file)).as("%s in %s", link.group(1), document).contains(target[1]);
        }
      }
    }
  }

  @Test
  void everyTestThatADocumentNamesIsThere() throws IOException {
    Set<String> tests =
        SourceTree.files(Path.of("src/test/java"), ".java").stream()
            .map(file -> file.getFileName().toString().replace(".java", ""))
            .collect(Collectors.toSet());
    for (Path document : SourceTree.documents()) {
      for (MatchResult named : TEST.matcher(Files.readString(document)).results().toList()) {
        assertThat(tests.contains(named.group(1)))
            .as("%s in %s", named.group(1), document)
            .isTrue();
      }
    }
  }

  /** So that a class which is renamed is renamed there as well. */
  @Test
  void everyClassThatAGuideNamesOccursInTheSources() throws IOException {
    Set<String> words = new HashSet<>();
    List<Path> sources = new ArrayList<>(SourceTree.files(Path.of("src"), ".java"));
    sources.addAll(SourceTree.files(Path.of("src/main/resources/console"), ".js"));
    for (Path source : sources) {
      WORD.matcher(Files.readString(source)).results().forEach(word -> words.add(word.group()));
    }
    List<Path> guides = new ArrayList<>(SourceTree.files(Path.of("src/docs"), ".md"));
    guides.addAll(List.of(Path.of("CONTRIBUTING.md"), Path.of("SECURITY.md")));
    for (Path guide : guides) {
      for (MatchResult named : CLASS.matcher(Files.readString(guide)).results().toList()) {
        assertThat(words.contains(named.group(1))).as("%s in %s", named.group(1), guide).isTrue();
      }
    }
  }

  /** As web views of repositories make them. */
  private static Set<String> anchors(Path file) throws IOException {
    return HEADING
        .matcher(Files.readString(file))
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(text -> text.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }
}
