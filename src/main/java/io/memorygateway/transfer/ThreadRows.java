package io.memorygateway.transfer;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableMap;
import io.memorygateway.memory.ThreadCounts;
import io.memorygateway.memory.ThreadDao;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.transfer.ThreadTables.ThreadTable;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Batched inserts of the rows of one thread. */
final class ThreadRows {
  private static final int ROWS_PER_STATEMENT = 200;
  private static final int CHARACTERS_PER_STATEMENT = 2 << 20;

  private final Handle handle;
  private final long projectId;
  private final boolean skipExisting;
  private final Map<String, Map<String, Integer>> columnTypes = new HashMap<>();
  private final List<JsonNode> waiting = new ArrayList<>();
  private String table = "";
  private List<String> columns = List.of();
  private long characters;
  private long threadId;
  private String resourceId = "";
  private boolean skipped;
  private long count;
  private long messages;

  ThreadRows(Handle handle, long projectId, boolean skipExisting) {
    this.handle = handle;
    this.projectId = projectId;
    this.skipExisting = skipExisting;
  }

  boolean isSkipped() {
    return skipped;
  }

  long count() {
    return count;
  }

  long messages() {
    return messages;
  }

  void add(String rowTable, JsonNode values) throws SQLException {
    count++;
    if (skipped) {
      return;
    }
    List<String> names = new ArrayList<>();
    Iterator<String> fields = values.fieldNames();
    fields.forEachRemaining(names::add);
    if (rowTable.equals(ThreadTables.ROOT)) {
      begin(names, values);
      return;
    }
    if (threadId == 0
        || ThreadTables.CHILDREN.stream().map(ThreadTable::name).noneMatch(rowTable::equals)) {
      throw ParameterValues.wrong("The file has a table that this version does not know.");
    }
    if (!rowTable.equals(table) || !names.equals(columns)) {
      flush();
      table = rowTable;
      columns = names;
    }
    waiting.add(values);
    messages += rowTable.equals("messages") ? 1 : 0;
    for (JsonNode value : values) {
      characters += value.isTextual() ? value.textValue().length() : 0;
    }
    if (waiting.size() == ROWS_PER_STATEMENT || characters > CHARACTERS_PER_STATEMENT) {
      flush();
    }
  }

  /** Writes the remaining rows, after the last one. */
  void finish() throws SQLException {
    if (!skipped && threadId != 0) {
      flush();
      ThreadCounts.add(handle, projectId, resourceId, threadId, 1);
    }
  }

  private void begin(List<String> names, JsonNode values) throws SQLException {
    String publicId = values.path("public_id").asText();
    resourceId = values.path("resource_id").asText();
    if (handle.attach(ThreadDao.class).find(projectId, publicId).isPresent()) {
      if (!skipExisting) {
        throw ParameterValues.wrong(
            "The thread " + publicId + " is there already; it was not imported.");
      }
      skipped = true;
      return;
    }
    table = ThreadTables.ROOT;
    columns = names;
    try (PreparedStatement insert = prepare(1)) {
      bind(insert, 1, values);
      insert.executeUpdate();
      try (ResultSet key = insert.getGeneratedKeys()) {
        key.next();
        threadId = key.getLong(1);
      }
    }
  }

  private void flush() throws SQLException {
    if (waiting.isEmpty()) {
      return;
    }
    try (PreparedStatement insert = prepare(waiting.size())) {
      int at = 1;
      for (JsonNode row : waiting) {
        at = bind(insert, at, row);
      }
      insert.executeUpdate();
    }
    waiting.clear();
    characters = 0;
  }

  /** Foreign keys of this database that a row needs. */
  private Map<String, Long> keys() {
    return switch (table) {
      case ThreadTables.ROOT -> ImmutableMap.of("project_id", projectId);
      case "thread_heads" -> ImmutableMap.of("thread_id", threadId, "project_id", projectId);
      default -> ImmutableMap.of("thread_id", threadId);
    };
  }

  private PreparedStatement prepare(int rows) throws SQLException {
    Map<String, Integer> known = types();
    if (!known.keySet().containsAll(columns)) {
      throw ParameterValues.wrong(
          "The file is of a newer version: " + table + " has other columns here.");
    }
    List<String> all = new ArrayList<>(keys().keySet());
    all.addAll(columns);
    String row = "(?" + ", ?".repeat(all.size() - 1) + ")";
    return handle
        .getConnection()
        .prepareStatement(
            "INSERT INTO "
                + table
                + " ("
                + String.join(", ", all)
                + ") VALUES "
                + row
                + (", " + row).repeat(rows - 1),
            Statement.RETURN_GENERATED_KEYS);
  }

  private int bind(PreparedStatement insert, int first, JsonNode values) throws SQLException {
    int at = first;
    for (long key : keys().values()) {
      insert.setLong(at++, key);
    }
    for (String column : columns) {
      JsonNode value = values.path(column);
      if (value.isNull()) {
        insert.setNull(at++, Types.NULL);
      } else if (value.isIntegralNumber()) {
        insert.setLong(at++, value.longValue());
      } else if (types().getOrDefault(column, Types.VARCHAR) == Types.TIMESTAMP) {
        insert.setTimestamp(at++, Timestamp.from(Instant.parse(value.asText())));
      } else if (types().getOrDefault(column, Types.VARCHAR) == Types.VARBINARY) {
        insert.setBytes(at++, value.asText().getBytes(StandardCharsets.UTF_8));
      } else {
        insert.setString(at++, text(column, value.asText()));
      }
    }
    return at;
  }

  /**
   * Value of a column; an id of a record that exists already is replaced, for example where a copy
   * is imported beside its original.
   */
  private String text(String column, String value) {
    boolean taken =
        table.equals("observation_records")
            && column.equals("public_id")
            && handle
                .createQuery("SELECT 1 FROM observation_records WHERE public_id = :id")
                .bind("id", value)
                .mapTo(Integer.class)
                .findOne()
                .isPresent();
    return taken ? UUID.randomUUID().toString() : value;
  }

  private Map<String, Integer> types() throws SQLException {
    Map<String, Integer> known = columnTypes.get(table);
    if (known == null) {
      known = new HashMap<>();
      try (Statement statement = handle.getConnection().createStatement();
          ResultSet none = statement.executeQuery("SELECT * FROM " + table + " WHERE 1 = 0")) {
        ResultSetMetaData metadata = none.getMetaData();
        for (int i = 1; i <= metadata.getColumnCount(); i++) {
          known.put(metadata.getColumnName(i), metadata.getColumnType(i));
        }
      }
      columnTypes.put(table, known);
    }
    return known;
  }
}
