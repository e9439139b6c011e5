package io.memorygateway.move;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import com.google.common.collect.Lists;
import io.memorygateway.budget.Budget;
import io.memorygateway.budget.BudgetSpan;
import io.memorygateway.database.Home;
import io.memorygateway.memory.rows.MessageDao;
import io.memorygateway.memory.rows.MessageSizes;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/**
 * Copies the rows of a project to its new home, page by page, under the ids that they have there. A
 * page that is copied once more is the same, so what broke off is done again.
 */
final class MovedRows {
  private static final int OWNERS = 200;
  private static final long BYTES = 8 << 20;

  /** By table whose rows may be long: the column that says how long one is. */
  private static final Map<String, String> BYTES_OF =
      Map.of(
          "messages", "content_bytes",
          "former_messages", "bytes",
          "idempotency_keys", "body_bytes");

  private final Jdbi jdbi;
  private final IdMoves.Move move;
  private final MovedThreads threads;
  private final Runnable alive;

  /**
   * @param alive called before each page; its exceptions end the copy
   */
  MovedRows(Jdbi jdbi, IdMoves.Move move, MovedThreads threads, Runnable alive) {
    this.jdbi = jdbi;
    this.move = move;
    this.threads = threads;
    this.alive = alive;
  }

  /** A page of rows, each with its values by the names of columns. */
  private record Page(List<Map<String, @Nullable Object>> rows, boolean last) {}

  void copy(MovedTable table) {
    if (table.isOfThreads()) {
      threads.eachIds(ids -> copy(table, new Owners(null, ids)));
    } else {
      owners(table, OWNERS).forEach(owners -> copy(table, owners));
    }
  }

  private void copy(MovedTable table, Owners owners) {
    Page page = new Page(List.of(), false);
    while (!page.last) {
      alive.run();
      page = read(table, owners, page.rows);
      write(table, page.rows);
    }
  }

  /** Deletes what was copied of a table that is not one of threads, which are removed otherwise. */
  void delete(MovedTable table) {
    String first = table.keys().get(0);
    // The primary key of what is of a kind does not tell the home: with a limit, one id does.
    for (Owners owners : owners(table, table.isOfKinds() ? 1 : OWNERS)) {
      Page page = new Page(List.of(), false);
      while (!page.last) {
        alive.run();
        page = read(table, owners, page.rows);
        if (page.rows.isEmpty()) {
          break;
        }
        List<Object> range = new ArrayList<>();
        range.add(page.rows.get(0).get(first));
        range.add(page.rows.get(page.rows.size() - 1).get(first));
        String sql =
            "DELETE FROM %s WHERE %s AND %s >= ? AND %3$s <= ? LIMIT %d"
                .formatted(table.name(), owners.condition(table), first, table.page());
        int deleted = table.page();
        while (deleted == table.page()) {
          deleted = jdbi.withHandle(handle -> bind(handle.createUpdate(sql), range).execute());
        }
      }
    }
  }

  /** Some of those that rows belong to, of one kind where the table says it. */
  private record Owners(@Nullable String kind, List<Long> ids) {
    String condition(MovedTable table) {
      Home home = Home.of(ids.get(0));
      String list = ids.stream().map(String::valueOf).collect(joining(","));
      return table.owner()
          + (ids.size() == 1 ? " = " + list : " IN (" + list + ")")
          + (kind == null ? "" : " AND owner = '" + kind + "'")
          + (table.isBounded()
              ? " AND thread_id BETWEEN " + home.first() + " AND " + home.last()
              : "");
    }
  }

  private List<Owners> owners(MovedTable table, int together) {
    List<Owners> owners = new ArrayList<>();
    String kind = table.isOfKinds() ? "key" : null;
    if (table.owner().equals("project_id")) {
      return List.of(new Owners(null, List.of(move.project())));
    }
    if (kind != null) {
      owners.add(new Owners("project", List.of(move.project())));
    }
    List<Long> ids = List.copyOf(move.keys().keySet());
    Lists.partition(ids, together).forEach(some -> owners.add(new Owners(kind, some)));
    return owners;
  }

  private Page read(MovedTable table, Owners owners, List<Map<String, @Nullable Object>> before) {
    String keys = String.join(", ", table.keys());
    String behind = "";
    List<Object> values = new ArrayList<>();
    if (!before.isEmpty()) {
      Map<String, @Nullable Object> last = before.get(before.size() - 1);
      table.keys().forEach(key -> values.add(last.get(key)));
      // The first condition alone is a range of an index.
      behind =
          " AND %s >= ? AND (%s) > (%s)"
              .formatted(
                  table.keys().get(0),
                  keys,
                  String.join(",", Collections.nCopies(table.keys().size(), "?")));
      values.add(0, values.get(0));
    }
    String from =
        " FROM %s WHERE %s%s ORDER BY %s LIMIT "
            .formatted(table.name(), owners.condition(table), behind, keys);
    String bytes = BYTES_OF.get(table.name());
    int limit = bytes == null ? table.page() : fitting(bytes, from, values);
    List<Map<String, @Nullable Object>> rows =
        jdbi.withHandle(handle -> read(handle, "SELECT *" + from + limit, values));
    return new Page(rows, rows.size() < limit);
  }

  /** How many rows are read together, by the column that says how long they are. */
  private int fitting(String bytes, String from, List<Object> values) {
    List<MessageDao.Size> sizes =
        jdbi.withHandle(
            handle ->
                bind(handle.createQuery("SELECT 0, " + bytes + from + 1000), values)
                    .map((row, context) -> new MessageDao.Size(row.getLong(1), row.getLong(2)))
                    .list());
    return sizes.isEmpty() ? 1 : MessageSizes.fitting(sizes, BYTES).count();
  }

  /** Reads rows, each with its values by the names of columns. */
  static List<Map<String, @Nullable Object>> read(Handle handle, String sql, List<Object> values) {
    return bind(handle.createQuery(sql), values).map((row, context) -> row(row)).list();
  }

  private static <T extends SqlStatement<T>> T bind(T statement, List<?> values) {
    for (int i = 0; i < values.size(); i++) {
      statement.bind(i, values.get(i));
    }
    return statement;
  }

  private static Map<String, @Nullable Object> row(ResultSet row) throws SQLException {
    ResultSetMetaData columns = row.getMetaData();
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      values.put(
          columns.getColumnName(i),
          columns.getColumnType(i) == Types.TIMESTAMP
              ? row.getObject(i, LocalDateTime.class)
              : row.getObject(i));
    }
    return values;
  }

  private void write(MovedTable table, List<Map<String, @Nullable Object>> rows) {
    Map<Long, Long> newIds =
        threads.newIds(
            rows.stream()
                .map(row -> (Long) row.get("thread_id"))
                .filter(Objects::nonNull)
                .collect(toSet()));
    List<Map<String, @Nullable Object>> moved =
        rows.stream().map(row -> moved(table, row, newIds)).filter(Objects::nonNull).toList();
    if (!moved.isEmpty()) {
      List<String> fixed = new ArrayList<>(table.keys());
      fixed.add(table.owner());
      if (table.isBounded()) {
        fixed.add("thread_id");
      }
      jdbi.useHandle(handle -> insert(handle, table.name(), fixed, moved));
    }
  }

  /**
   * Inserts rows, or changes those that are there already.
   *
   * @param fixed columns that are not changed
   */
  static void insert(
      Handle handle, String table, List<String> fixed, List<Map<String, @Nullable Object>> rows) {
    List<String> columns = List.copyOf(rows.get(0).keySet());
    String values = "(" + String.join(",", Collections.nCopies(columns.size(), "?")) + ")";
    String sql =
        "INSERT INTO %s (%s) VALUES %s ON DUPLICATE KEY UPDATE %s"
            .formatted(
                table,
                String.join(", ", columns),
                String.join(",", Collections.nCopies(rows.size(), values)),
                columns.stream()
                    .filter(name -> !fixed.contains(name))
                    .map(name -> name + " = VALUES(" + name + ")")
                    .collect(joining(", ")));
    List<@Nullable Object> all = new ArrayList<>();
    rows.forEach(row -> columns.forEach(column -> all.add(row.get(column))));
    bind(handle.createUpdate(sql), all).execute();
  }

  /** A row as it is in the new home; null if its thread has been deleted. */
  private @Nullable Map<String, @Nullable Object> moved(
      MovedTable table, Map<String, @Nullable Object> row, Map<Long, Long> newIds) {
    Map<String, @Nullable Object> moved = new LinkedHashMap<>(row);
    moved.computeIfPresent("project_id", (name, id) -> move.newProject());
    moved.computeIfPresent("key_id", (name, id) -> move.keys().getOrDefault(id, (Long) id));
    Object thread = row.get("thread_id");
    if (thread != null) {
      Long newThread = newIds.get(thread);
      if (newThread == null && !table.name().equals("idempotency_keys")) {
        return null;
      }
      moved.put("thread_id", newThread);
      if (newThread == null) {
        // As where its thread's last rows are removed.
        moved.putAll(forgotten());
      }
    }
    switch (table.name()) {
      case "request_log" ->
          moved.put(
              "id", Home.of(move.newProject()).adopt((Long) Objects.requireNonNull(row.get("id"))));
      case "budget_windows" -> {
        Long owner = (Long) Objects.requireNonNull(row.get("owner_id"));
        Long newOwner =
            "project".equals(row.get("owner"))
                ? Long.valueOf(move.newProject())
                : Objects.requireNonNull(move.keys().get(owner));
        Long id = windowId(row, owner, newOwner);
        if (id == null) {
          return null; // of a span in an older spelling, which no budget has any more
        }
        moved.put("owner_id", newOwner);
        moved.put("id", id);
      }
      case "observation_records" ->
          moved.computeIfPresent("public_id", (name, id) -> ((String) id).replace('_', '-'));
      // Who had taken it has lost it: the commit is where the thread was.
      case "observation_jobs" -> moved.put("owner", null);
      default -> {
        // Nothing else is other in another home.
      }
    }
    return moved;
  }

  private static Map<String, @Nullable Object> forgotten() {
    Map<String, @Nullable Object> values = new HashMap<>();
    values.put("status", 404);
    values.put("body", null);
    values.put("body_bytes", 0);
    values.put("message_seqs", null);
    return values;
  }

  /** How its span is written is not stored: it is found out by the id that the row has. */
  private static @Nullable Long windowId(
      Map<String, @Nullable Object> row, long owner, long newOwner) {
    long start = (Long) Objects.requireNonNull(row.get("start_ms"));
    long end = (Long) Objects.requireNonNull(row.get("end_ms"));
    String kind = String.valueOf(row.get("owner"));
    String name = String.valueOf(row.get("name"));
    String unit = String.valueOf(row.get("unit"));
    return BudgetSpan.of(new BudgetSpan.Window(start, end)).stream()
        .filter(
            span ->
                Objects.equals(
                    Budget.windowId(kind, owner, name, unit, span, start), row.get("id")))
        .map(span -> Budget.windowId(kind, newOwner, name, unit, span, start))
        .findFirst()
        .orElse(null);
  }
}
