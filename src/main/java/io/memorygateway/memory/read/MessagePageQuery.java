package io.memorygateway.memory.read;

import io.memorygateway.database.Home;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.Page;
import io.memorygateway.memory.rows.ThreadDao;
import io.memorygateway.memory.rows.ThreadName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Statement that reads a page of messages and their number at once. It serves threads that lost no
 * message and hold few bytes: there an offset is a seq, and a page cannot be too large. Of other
 * threads it returns only the number. In plain JDBC, since nothing is read more often. The rows are
 * not sorted: behind an outer join MySQL would copy all contents into a temporary table first.
 */
final class MessagePageQuery {
  /** Threads of up to this size are read without looking at the page's size first. */
  private static final int SMALL_THREAD_BYTES = 512 << 10;

  private static final String MESSAGES =
      "SELECT "
          + MessageRow.COLUMNS
          + """
          , h.message_count, h.message_count = h.next_seq - h.base_seq AND h.stored_bytes <= %1$d
          FROM thread_heads h LEFT JOIN messages m ON m.thread_id = h.thread_id AND h.message_count = h.next_seq - h.base_seq
            AND h.stored_bytes <= %1$d
          """
              .formatted(SMALL_THREAD_BYTES);
  private static final String OF_THREAD =
      "WHERE h.project_id = ? AND h.public_id = ? AND h.resource_id = COALESCE(?, h.resource_id)"
          + " AND h.thread_id BETWEEN ? AND ? AND "
          + ThreadDao.HAS_THREAD;

  static final String OLDEST_FIRST =
      MESSAGES + "AND m.seq >= h.base_seq + ? AND m.seq < h.base_seq + ?\n" + OF_THREAD;
  static final String NEWEST_FIRST =
      MESSAGES + "AND m.seq < h.next_seq - ? AND m.seq >= h.next_seq - ?\n" + OF_THREAD;

  private MessagePageQuery() {}

  /**
   * Result of the query.
   *
   * @param complete whether {@code messages} is the page; if not, it is empty
   * @param messages of the page, in no order
   */
  record Found(long total, boolean complete, List<MessageRow> messages) {}

  /** Runs the query; empty if there is no such thread, or none of this resource. */
  static Optional<Found> run(
      Connection connection,
      ThreadName thread,
      @Nullable String resourceId,
      Page page,
      boolean newestFirst)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(newestFirst ? NEWEST_FIRST : OLDEST_FIRST)) {
      statement.setLong(1, page.offset());
      statement.setLong(2, page.offset() + page.limit());
      statement.setLong(3, thread.projectId());
      statement.setString(4, thread.threadId());
      statement.setString(5, resourceId);
      Home home = Home.of(thread.projectId());
      statement.setLong(6, home.first());
      statement.setLong(7, home.last());
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? Optional.of(found(rows)) : Optional.empty();
      }
    }
  }

  private static Found found(ResultSet rows) throws SQLException {
    long total = rows.getLong(9);
    boolean complete = rows.getBoolean(10);
    List<MessageRow> messages = new ArrayList<>();
    if (rows.getBytes(2) != null) {
      do {
        messages.add(MessageRow.of(rows));
      } while (rows.next());
    }
    return new Found(total, complete, messages);
  }
}
