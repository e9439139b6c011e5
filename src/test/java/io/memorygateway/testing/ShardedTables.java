package io.memorygateway.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which tables are divided among shards, and by which column, as {@code ops/vitess} tells it to the
 * engine; and the rule that a statement on them names the home of its rows.
 */
public final class ShardedTables {
  private static final Path FILES = Path.of("ops/vitess");
  private static final Pattern INSERT =
      Pattern.compile("^(?:INSERT|REPLACE)(?: IGNORE)? INTO (\\w+)\\s*\\(([^)]*)\\)");

  private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/\\s*");
  private static final String IS = "\\s*(?:=|IN\\s*\\(|BETWEEN|>=?)\\s*\\(?\\s*-?\\d";

  private final Map<String, String> columns = new TreeMap<>();
  private final Pattern names;

  private ShardedTables(JsonNode tables) {
    for (Map.Entry<String, JsonNode> table : tables.properties()) {
      columns.put(
          table.getKey(), table.getValue().path("column_vindexes").path(0).path("column").asText());
    }
    names =
        Pattern.compile(
            "\\b(?:FROM|JOIN|UPDATE|INTO)\\s+(" + String.join("|", columns.keySet()) + ")\\b");
  }

  /** Those of the keyspace with shards. */
  public static ShardedTables read() {
    return new ShardedTables(tables("gateway"));
  }

  private static JsonNode tables(String keyspace) {
    try {
      return new ObjectMapper()
          .readTree(Files.readString(FILES.resolve(keyspace + ".vschema.json")))
          .path("tables");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The tables by name, with their columns. */
  public Map<String, String> columns() {
    return columns;
  }

  /** The tables of the keyspace without shards. */
  public static List<String> global() {
    return List.copyOf(tables("global").properties().stream().map(Map.Entry::getKey).toList());
  }

  /**
   * What of a statement does not tell its home; null if all of it does.
   *
   * @param text with its values, without texts
   */
  public @Nullable String violation(String text) {
    String sql = COMMENT.matcher(text).replaceAll("");
    List<String> used =
        names.matcher(sql).results().map(found -> found.group(1)).distinct().toList();
    if (used.isEmpty() || sql.toUpperCase(Locale.ROOT).startsWith("EXPLAIN")) {
      return null;
    }
    Matcher insert = INSERT.matcher(sql);
    if (insert.find() && columns.containsKey(insert.group(1))) {
      String column = columns.get(insert.group(1));
      return List.of(insert.group(2).split("[\\s,]+")).contains(column)
          ? null
          : insert.group(1) + " gets rows without " + column;
    }
    String own = used.stream().map(columns::get).distinct().collect(Collectors.joining("|"));
    if (!Pattern.compile("\\b(" + own + ")" + IS).matcher(sql).find()) {
      return "no home is named for " + used;
    }
    return used.stream()
        .filter(table -> !Pattern.compile("\\b" + columns.get(table) + "\\b").matcher(sql).find())
        .findFirst()
        .map(table -> "no " + columns.get(table) + " for " + table)
        .orElse(null);
  }
}
