package io.memorygateway.reference;

import static java.util.function.Predicate.not;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The tables of ops/configuration.md, as they are written. */
final class ConfigurationTable {
  private static final Path FILE = Path.of("ops", "configuration.md");

  private ConfigurationTable() {}

  /**
   * A line of the table of keys.
   *
   * @param byDefault what holds where the key is left out, as YAML; or required, or none
   * @param shipped what config.yml sets, as YAML; empty: nothing, or a thing for each entry
   * @param takes what kind of value, in which unit
   */
  record Row(String key, String byDefault, String shipped, String takes, String meaning) {}

  static Map<String, Row> keys() throws IOException {
    Map<String, Row> rows = new LinkedHashMap<>();
    lines("## Keys")
        .forEach(
            cells -> {
              Row row =
                  new Row(cells.get(0), cells.get(1), cells.get(2), cells.get(3), cells.get(4));
              if (rows.put(row.key(), row) != null) {
                throw new IllegalArgumentException(row.key() + " stands twice in " + FILE);
              }
            });
    return rows;
  }

  /** The names of the variables. */
  static List<String> variables() throws IOException {
    return lines("## Environment")
        .flatMap(cells -> Arrays.stream(cells.get(0).split(", ")))
        .map(ConfigurationTable::code)
        .toList();
  }

  /** The cells of the table below a heading, without its head. */
  private static Stream<List<String>> lines(String heading) throws IOException {
    return Files.readAllLines(FILE).stream()
        .dropWhile(not(heading::equals))
        .skip(1)
        .takeWhile(line -> !line.startsWith("## "))
        .filter(line -> line.startsWith("| "))
        .skip(1)
        .map(
            line ->
                Arrays.stream(line.substring(1, line.lastIndexOf('|')).split("(?<!\\\\)\\|", -1))
                    .map(ConfigurationTable::code)
                    .toList());
  }

  private static String code(String cell) {
    String text = cell.strip().replace("\\|", "|");
    return text.matches("`[^`]*`") ? text.substring(1, text.length() - 1) : text;
  }
}
