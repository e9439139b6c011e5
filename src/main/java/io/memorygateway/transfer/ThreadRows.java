package io.memorygateway.transfer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.database.Ids;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.Characters;
import io.memorygateway.memory.rows.ThreadCountDao;
import io.memorygateway.memory.rows.ThreadDao;
import io.memorygateway.memory.rows.ThreadHead;
import io.memorygateway.memory.rows.ThreadTable;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** Batched inserts of the rows of one thread, which {@link ThreadCheck} has checked. */
final class ThreadRows {
  private static final int ROWS_PER_STATEMENT = 200;
  private static final int CHARACTERS_PER_STATEMENT = 2 << 20;

  private final Handle handle;
  private final Ids ids;
  private final long threadId;
  private final long projectId;
  private final boolean skipExisting;
  private final Map<ThreadTable, List<ThreadColumn>> columns;
  private final List<JsonNode> waiting = new ArrayList<>();
  private ThreadTable table = ThreadTable.THREADS;
  private long characters;
  private @Nullable JsonNode thread;
  private @Nullable JsonNode head;
  private boolean skipped;
  private long messages;
  private long bytes;

  /**
   * @param threadId its {@code threads.id}, given by {@code ids}
   */
  ThreadRows(
      Handle handle,
      Ids ids,
      long threadId,
      long projectId,
      boolean skipExisting,
      Map<ThreadTable, List<ThreadColumn>> columns) {
    this.handle = handle;
    this.ids = ids;
    this.threadId = threadId;
    this.projectId = projectId;
    this.skipExisting = skipExisting;
    this.columns = columns;
  }

  boolean isSkipped() {
    return skipped;
  }

  long messages() {
    return messages;
  }

  void add(String name, JsonNode values) throws SQLException {
    if (skipped) {
      return;
    }
    if (!name.equals(table.tableName())) {
      flush();
      table = ThreadTable.valueOf(name.toUpperCase(Locale.ROOT));
    }
    for (ThreadColumn column : columns.getOrDefault(table, List.of())) {
      if (column.isLater() && !values.has(column.name())) {
        ((ObjectNode) values).putNull(column.name());
      }
    }
    if (table == ThreadTable.THREADS) {
      begin(values);
      return;
    }
    if (table == ThreadTable.THREAD_HEADS) {
      head = values;
      return;
    }
    waiting.add(values);
    for (JsonNode value : values) {
      characters += value.isTextual() ? value.textValue().length() : 0;
    }
    if (table == ThreadTable.MESSAGES) {
      messages++;
      bytes += Characters.utf8Length(values.get("content").textValue());
    }
    if (waiting.size() == ROWS_PER_STATEMENT || characters > CHARACTERS_PER_STATEMENT) {
      flush();
    }
  }

  /** Writes the remaining rows, and the head with what was counted, after the last one. */
  void finish() throws SQLException {
    if (skipped || thread == null || head == null) {
      return;
    }
    flush();
    String resourceId = thread.get("resource_id").textValue();
    handle
        .attach(ThreadDao.class)
        .insertHead(
            projectId,
            new ThreadHead(
                threadId,
                thread.get("public_id").textValue(),
                resourceId,
                head.get("base_seq").longValue(),
                head.get("next_seq").longValue(),
                messages,
                bytes,
                0,
                // The observer looks at it with the next message.
                0,
                0,
                Instant.parse(head.get("updated_at").textValue()),
                null),
            length(thread.get("title")) + length(thread.get("metadata")));
    handle.attach(ThreadCountDao.class).count(projectId, resourceId, threadId, 1);
  }

  private static long length(JsonNode text) {
    return text.isNull() ? 0 : Characters.utf8Length(text.textValue());
  }

  static ApiException existing(String publicId) {
    return ApiException.invalidRequest(
        "The thread " + publicId + " is there already; it was not imported.");
  }

  private void begin(JsonNode values) {
    String publicId = values.get("public_id").textValue();
    ThreadDao dao = handle.attach(ThreadDao.class);
    if (dao.find(projectId, publicId).isPresent()) {
      skip(publicId);
      return;
    }
    ThreadDao.Insert row =
        new ThreadDao.Insert(
            threadId,
            projectId,
            publicId,
            values.get("resource_id").textValue(),
            values.get("title").textValue(),
            values.get("metadata").textValue(),
            Instant.parse(values.get("created_at").textValue()));
    try {
      ids.insert(handle, ThreadTable.THREADS.tableName(), threadId, () -> dao.insert(row));
    } catch (JdbiException e) {
      if (DatabaseFailure.of(e) != DatabaseFailure.DUPLICATE_KEY) {
        throw e;
      }
      // Made since it was looked for.
      skip(publicId);
      return;
    }
    thread = values;
  }

  private void skip(String publicId) {
    if (!skipExisting) {
      throw existing(publicId);
    }
    skipped = true;
  }

  private void flush() throws SQLException {
    if (waiting.isEmpty()) {
      return;
    }
    try {
      insertWaiting();
    } catch (SQLException e) {
      if (table != ThreadTable.OBSERVATION_RECORDS
          || DatabaseFailure.of(e) != DatabaseFailure.DUPLICATE_KEY) {
        throw e;
      }
      insertWaiting(); // with other ids for what another import has stored meanwhile
    }
    waiting.clear();
    characters = 0;
  }

  private void insertWaiting() throws SQLException {
    boolean measured = table == ThreadTable.MESSAGES;
    List<ThreadColumn> types = columns.getOrDefault(table, List.of());
    String row = "(?" + ", ?".repeat(table.columns().size() + (measured ? 1 : 0)) + ")";
    try (PreparedStatement insert =
        handle
            .getConnection()
            .prepareStatement(
                "INSERT INTO "
                    + table.tableName()
                    + " (thread_id, "
                    + table.columnList()
                    + (measured ? ", content_bytes" : "")
                    + ") VALUES "
                    + row
                    + (", " + row).repeat(waiting.size() - 1))) {
      int at = 1;
      for (JsonNode values : waiting) {
        insert.setLong(at++, threadId);
        for (ThreadColumn column : types) {
          bind(insert, at++, column, values.get(column.name()));
        }
        if (measured) {
          insert.setLong(at++, Characters.utf8Length(values.get("content").textValue()));
        }
      }
      insert.executeUpdate();
    }
  }

  private void bind(PreparedStatement insert, int at, ThreadColumn column, JsonNode value)
      throws SQLException {
    if (value.isNull()) {
      insert.setNull(at, Types.NULL);
    } else if (value.isIntegralNumber()) {
      insert.setLong(at, value.longValue());
    } else if (column.type().equals("datetime")) {
      insert.setTimestamp(at, Timestamp.from(Instant.parse(value.textValue())));
    } else if (column.type().equals("varbinary")) {
      insert.setBytes(at, value.textValue().getBytes(StandardCharsets.UTF_8));
    } else {
      insert.setString(at, text(column.name(), value.textValue()));
    }
  }

  /**
   * Value of a column; an id of a record that exists already is replaced, for example where a copy
   * is imported beside its original.
   */
  private String text(String column, String value) {
    boolean taken =
        table == ThreadTable.OBSERVATION_RECORDS
            && column.equals("public_id")
            && handle
                .createQuery("SELECT 1 FROM observation_records WHERE public_id = :id")
                .bind("id", value)
                .mapTo(Integer.class)
                .findOne()
                .isPresent();
    return taken ? UUID.randomUUID().toString() : value;
  }
}
