package io.memorygateway.transfer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import io.memorygateway.database.Home;
import io.memorygateway.memory.rows.ThreadDao;
import io.memorygateway.memory.rows.ThreadTable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;

/**
 * Export of threads as lines of JSON, without loss: one line for each row of each table, between a
 * line that begins the thread and one that ends it. Contents are strings that hold the JSON as it
 * is stored. Rows are read one by one, however long a thread is; each thread is read in one
 * consistent state into a temporary file, so that a slow reader holds no connection.
 */
public record ThreadExport(Jdbi jdbi) {
  static final int FORMAT = 1;
  private static final int PAGE = 500;

  /** Columns that the import of the version before refuses: written only if something is there. */
  static final Set<String> ADDED = Set.of("recall_scope");

  /**
   * Writes threads of a project, oldest first.
   *
   * @param threadId only this one; null for all
   * @param resourceId only those of this resource; null for all
   * @return the number of threads
   */
  public long write(
      long projectId, @Nullable String threadId, @Nullable String resourceId, OutputStream out)
      throws Exception {
    long threads = 0;
    long last = 0;
    List<Long> page = page(projectId, threadId, resourceId, last);
    while (!page.isEmpty()) {
      for (long id : page) {
        threads += copyThread(id, out) ? 1 : 0;
        last = id;
      }
      page = page(projectId, threadId, resourceId, last);
    }
    return threads;
  }

  private List<Long> page(
      long projectId, @Nullable String threadId, @Nullable String resourceId, long after) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT t.id FROM threads t JOIN thread_heads h ON h.thread_id = t.id
                    WHERE t.project_id = :projectId AND t.id BETWEEN :next AND :last
                      AND (:threadId IS NULL OR t.public_id = :threadId)
                      AND (:resourceId IS NULL OR t.resource_id = :resourceId)
                    ORDER BY t.id LIMIT :limit
                    """)
                .bind("projectId", projectId)
                .bind("next", Math.max(after + 1, Home.of(projectId).first()))
                .bind("last", Home.of(projectId).last())
                .bind("threadId", bytes(threadId))
                .bind("resourceId", bytes(resourceId))
                .bind("limit", PAGE)
                .mapTo(Long.class)
                .list());
  }

  private static byte @Nullable [] bytes(@Nullable String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  /** Writes one thread, by way of a file; false if it has been deleted in the meantime. */
  private boolean copyThread(long id, OutputStream out) throws Exception {
    Path file = Files.createTempFile("thread", ".ndjson");
    try {
      try (JsonGenerator json = new JsonFactory().createGenerator(Files.newOutputStream(file))) {
        json.setPrettyPrinter(new MinimalPrettyPrinter("\n"));
        if (!writeThread(id, json)) {
          return false;
        }
      }
      Files.copy(file, out);
      out.write('\n');
      return true;
    } finally {
      Files.delete(file);
    }
  }

  /** Writes one thread; false if it has been deleted in the meantime. */
  private boolean writeThread(long id, JsonGenerator json) throws Exception {
    try (Handle handle = jdbi.open()) {
      return handle.inTransaction(
          TransactionIsolationLevel.REPEATABLE_READ,
          snapshot ->
              snapshot.attach(ThreadDao.class).exists(id) && writeThread(snapshot, id, json));
    }
  }

  private static boolean writeThread(Handle handle, long id, JsonGenerator json)
      throws IOException, SQLException {
    json.writeStartObject();
    json.writeStringField("type", "thread");
    json.writeNumberField("format", FORMAT);
    json.writeEndObject();
    long rows = 0;
    for (ThreadTable table : ThreadTable.exported()) {
      rows += writeRows(handle, table, id, json);
    }
    json.writeStartObject();
    json.writeStringField("type", "end");
    json.writeNumberField("rows", rows);
    json.writeEndObject();
    return rows > 0;
  }

  private static long writeRows(Handle handle, ThreadTable table, long id, JsonGenerator json)
      throws IOException, SQLException {
    String sql =
        "SELECT %s FROM %s WHERE %s = ? AND %s > ? ORDER BY %4$s LIMIT %d"
            .formatted(
                table.columnList(),
                table.tableName(),
                table == ThreadTable.THREADS ? "id" : "thread_id",
                table.key(),
                PAGE);
    try (PreparedStatement select = handle.getConnection().prepareStatement(sql)) {
      select.setLong(1, id);
      // Otherwise the driver would read all rows before it returns the first.
      select.setFetchSize(Integer.MIN_VALUE);
      long written = 0;
      long after = Long.MIN_VALUE;
      for (int read = PAGE; read == PAGE; written += read) {
        read = 0;
        select.setLong(2, after);
        try (ResultSet rows = select.executeQuery()) {
          while (rows.next()) {
            json.writeStartObject();
            json.writeStringField("type", "row");
            json.writeStringField("table", table.tableName());
            json.writeObjectFieldStart("values");
            writeValues(rows, json);
            json.writeEndObject();
            json.writeEndObject();
            if (++read == PAGE) {
              after = rows.getLong(table.key());
            }
          }
        }
      }
      return written;
    }
  }

  private static void writeValues(ResultSet row, JsonGenerator json)
      throws IOException, SQLException {
    ResultSetMetaData columns = row.getMetaData();
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      String name = columns.getColumnName(i);
      if (ADDED.contains(name) && row.getString(i) == null) {
        continue;
      }
      json.writeFieldName(name);
      switch (columns.getColumnType(i)) {
        case Types.BIT, Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> {
          long number = row.getLong(i);
          if (row.wasNull()) {
            json.writeNull();
          } else {
            json.writeNumber(number);
          }
        }
        case Types.TIMESTAMP -> {
          // A Timestamp has another calendar before 1582.
          LocalDateTime time = row.getObject(i, LocalDateTime.class);
          json.writeString(time == null ? null : time.toInstant(ZoneOffset.UTC).toString());
        }
        case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY -> {
          byte[] bytes = row.getBytes(i);
          json.writeString(bytes == null ? null : new String(bytes, StandardCharsets.UTF_8));
        }
        default -> json.writeString(row.getString(i));
      }
    }
  }
}
