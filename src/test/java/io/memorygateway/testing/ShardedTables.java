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
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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
  private static final Path SCHEMA = Path.of("src/test/resources/schema.txt");
  private static final String PRIMARY = " UNIQUE PRIMARY ";
  private static final Pattern INSERT =
      Pattern.compile("^(?:INSERT|REPLACE)(?: IGNORE)? INTO (\\w+)\\s*\\(([^)]*)\\)");

  private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/\\s*");
  private static final Pattern LOCK =
      Pattern.compile(
          "\\(\\s*SELECT\\b.*\\b(?:FOR UPDATE|FOR SHARE|LOCK IN SHARE)", Pattern.DOTALL);
  private static final Pattern ROW_BY_ROW =
      Pattern.compile("STRAIGHT_JOIN\\b.*\\bBETWEEN\\b.*\\bLIMIT\\b", Pattern.DOTALL);
  private static final Pattern CHANGE = Pattern.compile("^(?:UPDATE|DELETE)\\b");
  private static final String ONE = "\\s*=\\s*-?\\d";
  private static final String EQUALS = "\\s*(?:=|IN\\s*\\()\\s*\\(?\\s*-?\\d";
  private static final String IS = "\\s*(?:=|IN\\s*\\(|BETWEEN)\\s*\\(?\\s*-?\\d";

  /** Parts of statements that ask all shards, without a lock, each with the reason. */
  private static final Map<String, String> EXCEPTIONS =
      Map.ofEntries(
          Map.entry("SELECT MAX(TIMESTAMPDIFF(", "a gauge of work that waits"),
          Map.entry("SELECT COALESCE(SUM(ABS(held", "a gauge of what budgets hold"),
          Map.entry("t.calls, t.errors", "reports of usage"),
          Map.entry("SUM(calls) AS calls", "the overview of the console"),
          Map.entry("SUM(u.errors) AS calls", "the overview of the console"),
          Map.entry("SUM(refused) AS refused", "the overview of the console"),
          Map.entry(
              "ON f.project_id = l.project_id AND f.started_at",
              "the console's list of calls, but for their rows"),
          Map.entry("WHERE l.started_at = ", "the console's view of a call, whose id is random"),
          Map.entry(" AS answered, duration_ms, first_byte_ms", "the console's providers"),
          Map.entry("SUM(amount * (NOT doubtful", "check --budgets, of a key"),
          Map.entry(
              "FROM turn_claims WHERE lease_until <", "claims that were given up, in batches"),
          Map.entry(
              "SELECT 1 FROM observation_records WHERE public_id", "an import, of each record"),
          Map.entry("SELECT status FROM request_log", "the console's list of calls"),
          Map.entry(
              "FORCE INDEX (budget_calls_by_expiry)",
              "calls where there is one home, as the version before gave them ids without"),
          Map.entry("FROM budget_windows w", "check --budgets, and the fullest in the console"),
          Map.entry("FROM projects p LEFT JOIN thread_heads", "the task storage"),
          Map.entry("SELECT project_id, SUM(", "the task storage"),
          Map.entry(
              "t.id IS NULL AS orphaned FROM", "a search for rows without a thread, in pages"));

  private final Map<String, String> columns = new TreeMap<>();

  /** Those whose primary key does not tell the home. */
  private final Set<String> keyedOtherwise = new TreeSet<>();

  private final Pattern names;

  private ShardedTables(JsonNode tables) {
    for (Map.Entry<String, JsonNode> table : tables.properties()) {
      columns.put(
          table.getKey(), table.getValue().path("column_vindexes").path(0).path("column").asText());
    }
    for (String line : lines(SCHEMA)) {
      String[] words = line.split(PRIMARY, -1);
      String column = columns.get(words[0]);
      if (words.length == 2 && column != null && !List.of(words[1].split(",")).contains(column)) {
        keyedOtherwise.add(words[0]);
      }
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

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
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
    if (used.isEmpty()
        || sql.toUpperCase(Locale.ROOT).startsWith("EXPLAIN")
        || EXCEPTIONS.keySet().stream().anyMatch(text::contains)) {
      return null;
    }
    if (LOCK.matcher(sql).find()) {
      return "a lock beside a subquery is none for " + used;
    }
    if (ROW_BY_ROW.matcher(sql).find()) {
      return "an ordered join that bounds lead is asked row by row, without its limit, for " + used;
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
    if (Pattern.compile("\\bOR\\s*(?:\\([^()]*)?\\b(?:\\w+\\.)?(?:" + own + ")\\s*=")
            .matcher(sql)
            .find()
        && !Pattern.compile("\\b(" + own + ")\\s*(?:IN\\s*\\(|BETWEEN)").matcher(sql).find()) {
      return "of more than two alternatives no home is told for " + used;
    }
    if (CHANGE.matcher(sql).find()) {
      boolean isLimited = sql.contains(" LIMIT ");
      if (!isLimited && !Pattern.compile("\\b(" + own + ")" + EQUALS).matcher(sql).find()) {
        return "only ids themselves lead a change to the shard of " + used;
      }
      // Of more than one it reads the primary keys first, and changes what has them.
      if (isLimited
          && used.stream().anyMatch(keyedOtherwise::contains)
          && !Pattern.compile("\\b(" + own + ")" + ONE).matcher(sql).find()) {
        return "only one id leads a change with a limit to the shard of " + used;
      }
    }
    return used.stream()
        .filter(table -> !Pattern.compile("\\b" + columns.get(table) + "\\b").matcher(sql).find())
        .findFirst()
        .map(table -> "no " + columns.get(table) + " for " + table)
        .orElse(null);
  }
}
