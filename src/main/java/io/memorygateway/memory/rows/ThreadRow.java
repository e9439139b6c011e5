package io.memorygateway.memory.rows;

import io.memorygateway.json.Characters;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A thread as clients see it.
 *
 * @param id {@code threads.id}; clients see {@link #publicId}
 * @param metadata a JSON object
 */
public record ThreadRow(
    long id,
    String publicId,
    String resourceId,
    @Nullable String title,
    @Nullable String metadata,
    Instant createdAt,
    Instant updatedAt) {

  /** Reads a thread from the first columns of a row, in the order above. */
  public static ThreadRow of(ResultSet row) throws SQLException {
    return new ThreadRow(
        row.getLong(1),
        Identifier.ofBytes(row.getBytes(2)),
        Identifier.ofBytes(row.getBytes(3)),
        row.getString(4),
        row.getString(5),
        row.getTimestamp(6).toInstant(),
        row.getTimestamp(7).toInstant());
  }

  /** UTF-8 bytes of title and metadata. */
  public long describedBytes() {
    return describedBytes(title, metadata);
  }

  public static long describedBytes(@Nullable String title, @Nullable String metadata) {
    return (title == null ? 0 : Characters.utf8Length(title))
        + (metadata == null ? 0 : Characters.utf8Length(metadata));
  }

  public ThreadRow described(@Nullable String newTitle, @Nullable String newMetadata) {
    return new ThreadRow(id, publicId, resourceId, newTitle, newMetadata, createdAt, updatedAt);
  }
}
