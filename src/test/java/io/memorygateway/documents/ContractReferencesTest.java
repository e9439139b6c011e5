package io.memorygateway.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every "contract §n" in the sources leads to a section of the contract. */
class ContractReferencesTest {
  private static final Path CONTRACT = Path.of("src/docs/contract.md");
  private static final Pattern SECTION = Pattern.compile("(?m)^## (\\d+)\\. ");
  private static final Pattern NUMBER = Pattern.compile("§(\\d+)");

  /** A comment wraps between the word and the number, and may name several sections. */
  private static final Pattern REFERENCE =
      Pattern.compile("(?i)contract,?[\\s*#]+§\\d+(?:(?:,|,? and| to|,? or)[\\s*#]+§\\d+)*");

  @Test
  void everySectionThatTheSourcesNameIsThere() throws IOException {
    Set<String> sections = new TreeSet<>();
    Matcher heading = SECTION.matcher(Files.readString(CONTRACT));
    while (heading.find()) {
      sections.add(heading.group(1));
    }
    List<Path> sources = new ArrayList<>(SourceTree.files(Path.of("src"), ".java"));
    sources.addAll(SourceTree.files(Path.of("src/main/resources"), ".yaml"));
    sources.addAll(SourceTree.files(Path.of("migrations"), ".sql"));
    sources.addAll(SourceTree.documents());
    sources.add(Path.of("config.yml"));

    int found = 0;
    for (Path source : sources) {
      for (String section : referred(Files.readString(source))) {
        found++;
        assertThat(sections).as("contract §%s, named in %s", section, source).contains(section);
      }
    }
    assertThat(found).isGreaterThan(80);
  }

  @Test
  void theContractRefersToItsOwnSectionsOnly() throws IOException {
    String contract = Files.readString(CONTRACT);
    Matcher number = NUMBER.matcher(contract);
    while (number.find()) {
      assertThat(contract).contains("\n## " + number.group(1) + ". ");
    }
  }

  @Test
  void referencesAreFoundAlsoWhereACommentWraps() {
    assertThat(referred("as a line says (contract\n * §9).")).containsExactly("9");
    assertThat(referred("/** Contract §7 and §8: what goes up. */")).containsExactly("7", "8");
    assertThat(referred("Contract §1 to §3")).containsExactly("1", "3");
    assertThat(referred("the contract says")).isEmpty();
  }

  private static List<String> referred(String text) {
    List<String> sections = new ArrayList<>();
    Matcher reference = REFERENCE.matcher(text);
    while (reference.find()) {
      Matcher number = NUMBER.matcher(reference.group());
      while (number.find()) {
        sections.add(number.group(1));
      }
    }
    return sections;
  }
}
