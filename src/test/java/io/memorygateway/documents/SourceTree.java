package io.memorygateway.documents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files of this repository, read from the working directory of the build. */
final class SourceTree {
  static final Path MAIN = Path.of("src/main/java/io/memorygateway");

  private SourceTree() {}

  /**
   * The files below a folder.
   *
   * @param ending how their names end
   */
  static List<Path> files(Path folder, String ending) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> file.toString().endsWith(ending))
          .sorted()
          .toList();
    }
  }

  /** All documents: at the top, under {@code src/docs} and under {@code ops}. */
  static List<Path> documents() throws IOException {
    try (Stream<Path> top = Files.list(Path.of("."));
        Stream<Path> docs = files(Path.of("src/docs"), ".md").stream();
        Stream<Path> ops = files(Path.of("ops"), ".md").stream()) {
      return Stream.of(top.filter(file -> file.toString().endsWith(".md")), docs, ops)
          .flatMap(files -> files)
          .map(Path::normalize)
          .sorted()
          .toList();
    }
  }
}
