package io.memorygateway.embedding;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the messages of a thread that lack a vector, a bounded number at once. */
final class PendingMessages {
  /** Characters; of a larger content only the beginning of its JSON is embedded. */
  private static final int MAX_CONTENT_CHARACTERS = 1 << 20;

  private static final int ROW_OVERHEAD = 100;

  private static final String LACKING =
      "SELECT m.seq, LEAST(m.content_bytes, "
          + MAX_CONTENT_CHARACTERS
          + """
          ) FROM messages m
          LEFT JOIN message_vectors v ON v.project_id = ? AND v.resource_hash = ? AND v.thread_id = m.thread_id
                                     AND v.seq = m.seq AND v.model_id = ?
          WHERE m.thread_id = ? AND m.seq >= ? AND m.seq < ? AND v.seq IS NULL
          ORDER BY m.seq LIMIT ?
          """;

  private static final String CONTENTS =
      """
      SELECT m.seq, m.content_bytes <= %1$d, IF(m.content_bytes > %1$d, LEFT(m.content, %2$d), m.content)
      FROM messages m WHERE m.thread_id = ? AND m.seq IN\s"""
          .formatted(MAX_CONTENT_CHARACTERS, EmbeddingText.MAX_CHARACTERS);

  private PendingMessages() {}

  /**
   * The first messages of a thread that lack a vector.
   *
   * @param texts by seq; null if there is nothing to embed
   * @param end seq behind the last message that was read
   * @param bytes of contents that were read
   */
  record Read(Map<Long, @Nullable String> texts, long end, long bytes) {}

  /**
   * Reads messages.
   *
   * @param messages at most
   * @param maxBytes of contents; at least one message is read, whatever its size
   */
  static Read read(
      Connection connection, PendingThread thread, int model, int messages, long maxBytes)
      throws SQLException {
    List<Long> seqs = new ArrayList<>();
    long bytes = 0;
    long end = thread.to();
    try (PreparedStatement statement = connection.prepareStatement(LACKING)) {
      statement.setLong(1, thread.project());
      statement.setBytes(2, thread.resourceHash());
      statement.setInt(3, model);
      statement.setLong(4, thread.id());
      statement.setLong(5, thread.from());
      statement.setLong(6, thread.to());
      statement.setInt(7, messages + 1);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          long own = row.getLong(2) + ROW_OVERHEAD;
          if (seqs.size() == messages || (!seqs.isEmpty() && bytes + own > maxBytes)) {
            end = row.getLong(1);
            break;
          }
          seqs.add(row.getLong(1));
          bytes += own;
        }
      }
    }
    return new Read(texts(connection, thread.id(), seqs), end, bytes);
  }

  /** The texts to be embedded of those messages that still exist, by seq. */
  static Map<Long, @Nullable String> texts(
      Connection connection, long thread, Collection<Long> seqs) throws SQLException {
    Map<Long, @Nullable String> texts = new HashMap<>();
    if (seqs.isEmpty()) {
      return texts;
    }
    String marks = "(" + String.join(",", Collections.nCopies(seqs.size(), "?")) + ")";
    try (PreparedStatement statement = connection.prepareStatement(CONTENTS + marks)) {
      statement.setLong(1, thread);
      int parameter = 2;
      for (long seq : seqs) {
        statement.setLong(parameter++, seq);
      }
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          texts.put(row.getLong(1), EmbeddingText.of(row.getString(3), row.getBoolean(2)));
        }
      }
    }
    return texts;
  }
}
