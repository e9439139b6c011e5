package io.memorygateway.embedding;

import io.memorygateway.database.Deadline;
import io.memorygateway.database.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jdbi.v3.core.transaction.TransactionException;
import org.jspecify.annotations.Nullable;

/**
 * Stores vectors under the lock of their thread, only those of messages that have not changed since
 * they were embedded. Changing or deleting a message takes the same lock, and removes its vector.
 */
final class EmbeddingCommits {
  private static final int ROWS_PER_STATEMENT = 100;
  private static final Duration HEAP_TIMEOUT = Duration.ofSeconds(10);

  private static final String LOCK =
      "SELECT changed_version FROM thread_heads WHERE thread_id = ? FOR UPDATE";
  private static final String STATE =
      "SELECT model_id, next_seq FROM embedding_threads WHERE thread_id = ? FOR UPDATE";
  private static final String ADD =
      "INSERT INTO message_vectors (project_id, resource_hash, thread_id, seq, model_id, vector) VALUES ";
  private static final String REPLACE =
      " ON DUPLICATE KEY UPDATE model_id = VALUES(model_id), vector = VALUES(vector)";
  private static final String BEGIN =
      "INSERT INTO embedding_threads (project_id, resource_hash, thread_id, model_id, next_seq, revision) VALUES (?, ?, ?, ?, ?, 0)";
  private static final String ADVANCE =
      "UPDATE embedding_threads SET revision = revision + IF(model_id = ?, 0, 1), model_id = ?, next_seq = ? WHERE thread_id = ?";

  private final Transactions transactions;

  EmbeddingCommits(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * The embedded messages of one thread.
   *
   * @param texts the texts that were embedded, by seq
   * @param vectors by seq; none for messages that the model refused
   * @param end every message before this seq that lacked a vector is among the texts, or has no
   *     text
   */
  record Embedded(
      PendingThread thread,
      int model,
      Map<Long, @Nullable String> texts,
      SortedMap<Long, byte[]> vectors,
      long end) {}

  /** Stores vectors; returns how many. None if the thread was deleted meanwhile. */
  int store(Embedded embedded) {
    return transactions.write(
        Deadline.in(HEAP_TIMEOUT),
        handle -> {
          try {
            return store(handle.getConnection(), embedded);
          } catch (SQLException e) {
            throw new TransactionException("Vectors could not be stored.", e);
          }
        });
  }

  private static int store(Connection connection, Embedded embedded) throws SQLException {
    PendingThread thread = embedded.thread;
    Long changed = first(connection, LOCK, thread.id());
    if (changed == null) {
      return 0;
    }
    SortedMap<Long, byte[]> good = new TreeMap<>(embedded.vectors);
    long end = embedded.end;
    if (changed != thread.changedVersion()) {
      Map<Long, @Nullable String> now =
          PendingMessages.texts(connection, thread.id(), embedded.texts.keySet());
      for (Map.Entry<Long, @Nullable String> read : embedded.texts.entrySet()) {
        long seq = read.getKey();
        if (!now.containsKey(seq)) {
          good.remove(seq); // deleted
        } else if (!Objects.equals(now.get(seq), read.getValue())) {
          good.remove(seq);
          end = Math.min(end, seq);
        }
      }
    }
    insert(connection, embedded, new ArrayList<>(good.entrySet()));
    advance(connection, embedded, end);
    return good.size();
  }

  private static void advance(Connection connection, Embedded embedded, long end)
      throws SQLException {
    PendingThread thread = embedded.thread;
    try (PreparedStatement state = connection.prepareStatement(STATE)) {
      state.setLong(1, thread.id());
      try (ResultSet row = state.executeQuery()) {
        if (!row.next()) {
          begin(connection, embedded, end);
          return;
        }
        boolean same = row.getInt(1) == embedded.model;
        // Less than expected: an earlier message was changed meanwhile and is to be embedded first.
        if (same && row.getLong(2) < thread.from()) {
          return;
        }
        long next = same ? Math.max(end, row.getLong(2)) : end;
        try (PreparedStatement update = connection.prepareStatement(ADVANCE)) {
          update.setInt(1, embedded.model);
          update.setInt(2, embedded.model);
          update.setLong(3, next);
          update.setLong(4, thread.id());
          update.executeUpdate();
        }
      }
    }
  }

  private static void begin(Connection connection, Embedded embedded, long end)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(BEGIN)) {
      statement.setLong(1, embedded.thread.project());
      statement.setBytes(2, embedded.thread.resourceHash());
      statement.setLong(3, embedded.thread.id());
      statement.setInt(4, embedded.model);
      statement.setLong(5, end);
      statement.executeUpdate();
    }
  }

  private static void insert(
      Connection connection, Embedded embedded, List<Map.Entry<Long, byte[]>> vectors)
      throws SQLException {
    for (int i = 0; i < vectors.size(); i += ROWS_PER_STATEMENT) {
      List<Map.Entry<Long, byte[]>> some =
          vectors.subList(i, Math.min(i + ROWS_PER_STATEMENT, vectors.size()));
      String rows = String.join(",", Collections.nCopies(some.size(), "(?,?,?,?,?,?)"));
      try (PreparedStatement statement = connection.prepareStatement(ADD + rows + REPLACE)) {
        int parameter = 1;
        for (Map.Entry<Long, byte[]> vector : some) {
          statement.setLong(parameter++, embedded.thread.project());
          statement.setBytes(parameter++, embedded.thread.resourceHash());
          statement.setLong(parameter++, embedded.thread.id());
          statement.setLong(parameter++, vector.getKey());
          statement.setInt(parameter++, embedded.model);
          statement.setBytes(parameter++, vector.getValue());
        }
        statement.executeUpdate();
      }
    }
  }

  private static @Nullable Long first(Connection connection, String sql, long id)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, id);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getLong(1) : null;
      }
    }
  }
}
