package io.memorygateway.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The diagram and the tables of {@code architecture.md} show the packages and classes there are.
 */
class ArchitectureDocumentTest {
  private static final Pattern DIAGRAM = Pattern.compile("(?s)```mermaid\n(.*?)```");
  private static final Pattern NODE = Pattern.compile("(\\w+)\\[\"([a-z]+)<br/>");
  private static final Pattern ARROW =
      Pattern.compile("(?m)^ *(\\w+) -->(?:\\|\"[^\"]*\"\\|)? (\\w+)$");
  private static final Pattern ROOM = Pattern.compile("(?m)^\\| `([a-z.]+)` \\|");
  private static final Pattern FORM = Pattern.compile("(?m)^\\| `(\\w+)` \\| ([a-z.]+) \\|");

  private static String document;
  private static String diagram;

  @BeforeAll
  static void read() throws IOException {
    document = Files.readString(Path.of("src/docs/architecture.md"));
    diagram = DIAGRAM.matcher(document).results().findFirst().orElseThrow().group(1);
  }

  @Test
  void theDiagramShowsEveryOuterRoomAndNoOther() throws IOException {
    Set<String> shown = new TreeSet<>();
    NODE.matcher(diagram)
        .results()
        .forEach(
            node -> {
              assertThat(node.group(1)).isEqualTo(node.group(2));
              shown.add(node.group(2));
            });
    assertThat(shown).isEqualTo(outerRooms());
  }

  @Test
  void everyRoomIsOnTheWayOfSomething() throws IOException {
    Set<String> joined = new TreeSet<>();
    ARROW
        .matcher(diagram)
        .results()
        .forEach(
            arrow -> {
              joined.add(arrow.group(1));
              joined.add(arrow.group(2));
            });
    assertThat(joined).containsAll(outerRooms());
  }

  @Test
  void theTableOfRoomsNamesEveryPackageAndNoOther() throws IOException {
    Set<String> named = new TreeSet<>();
    ROOM.matcher(document).results().forEach(row -> named.add(row.group(1)));
    assertThat(named).isEqualTo(packages());
  }

  @Test
  void everyFormOfAMessageIsAClassOfThatPackage() {
    var forms = FORM.matcher(document).results().toList();
    assertThat(forms).hasSizeGreaterThan(10);
    for (var form : forms) {
      Path directory = SourceTree.MAIN.resolve(form.group(2).replace('.', '/'));
      assertThat(directory.resolve(form.group(1) + ".java")).exists();
    }
  }

  private static Set<String> outerRooms() throws IOException {
    return packages().stream()
        .map(name -> name.split("\\.", -1)[0])
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> packages() throws IOException {
    return SourceTree.files(SourceTree.MAIN, ".java").stream()
        .map(file -> SourceTree.MAIN.relativize(file.getParent()).toString().replace('/', '.'))
        .filter(name -> !name.isEmpty())
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
