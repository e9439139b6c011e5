package io.memorygateway.search;

import io.memorygateway.format.content.MessageText;
import io.memorygateway.memory.rows.MessageGap;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** SQL by which search reads messages to index them. */
final class IndexStatements {
  /** Characters; of a larger content only the beginning is indexed. */
  static final int MAX_CONTENT_CHARACTERS = 1 << 20;

  private static final String SIZES =
      "SELECT seq, content_bytes FROM messages WHERE thread_id = ? AND seq >= ? AND seq < ? ORDER BY"
          + " seq LIMIT ?";

  /** Of a large content, only the first {@value #MAX_CONTENT_CHARACTERS} characters are read. */
  private static final String MESSAGES =
      """
      SELECT thread_id, seq, role, created_at, content_bytes, IF(content_bytes > %1$d, LEFT(content, %1$d), content)
      FROM messages WHERE
      """
          .formatted(MAX_CONTENT_CHARACTERS);

  private static final String GAPS =
      "SELECT block, deleted FROM message_gaps WHERE thread_id = ? ORDER BY block";

  private static final String SEQS = "SELECT seq FROM messages WHERE ";

  private static final String RANGE = "thread_id = ? AND seq >= ? AND seq < ?";

  private IndexStatements() {}

  /** The size of a message's content. */
  record Size(long seq, long bytes) {}

  /**
   * A message to be indexed.
   *
   * @param bytes of its whole content
   */
  record Message(
      long thread, long seq, String role, Instant createdAt, long bytes, String content) {

    /** The searchable text. */
    String text() {
      return bytes > MAX_CONTENT_CHARACTERS
          ? content.substring(0, Math.min(content.length(), MessageText.MAX_CHARACTERS))
          : MessageText.of(content);
    }
  }

  /** Seqs of a thread, the end not included. */
  record Range(long thread, long from, long to) {}

  /** The sizes of the first messages of a range. */
  static List<Size> sizes(Connection connection, Range range, int limit) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(SIZES)) {
      bind(statement, 1, range);
      statement.setInt(4, limit);
      List<Size> sizes = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          sizes.add(new Size(row.getLong(1), row.getLong(2)));
        }
      }
      return sizes;
    }
  }

  /** The messages of some ranges, thread by thread, in their order. */
  static List<Message> messages(Connection connection, List<Range> ranges) throws SQLException {
    String conditions = String.join(" OR ", Collections.nCopies(ranges.size(), "(" + RANGE + ")"));
    try (PreparedStatement statement = connection.prepareStatement(MESSAGES + conditions)) {
      int parameter = 1;
      for (Range range : ranges) {
        parameter = bind(statement, parameter, range);
      }
      List<Message> messages = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          messages.add(
              new Message(
                  row.getLong(1),
                  row.getLong(2),
                  row.getString(3),
                  row.getObject(4, LocalDateTime.class).toInstant(ZoneOffset.UTC),
                  row.getLong(5),
                  row.getString(6)));
        }
      }
      messages.sort(Comparator.comparingLong(Message::thread).thenComparingLong(Message::seq));
      return messages;
    }
  }

  /** The gaps of a thread, where messages were deleted, ascending. */
  static List<MessageGap> gaps(Connection connection, long thread) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(GAPS)) {
      statement.setLong(1, thread);
      List<MessageGap> gaps = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          gaps.add(new MessageGap(row.getLong(1), row.getLong(2)));
        }
      }
      return gaps;
    }
  }

  /** The seqs of the messages in some ranges. */
  static Set<Long> seqs(Connection connection, List<Range> ranges) throws SQLException {
    String conditions = String.join(" OR ", Collections.nCopies(ranges.size(), "(" + RANGE + ")"));
    try (PreparedStatement statement = connection.prepareStatement(SEQS + conditions)) {
      int parameter = 1;
      for (Range range : ranges) {
        parameter = bind(statement, parameter, range);
      }
      Set<Long> seqs = new HashSet<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          seqs.add(row.getLong(1));
        }
      }
      return seqs;
    }
  }

  private static int bind(PreparedStatement statement, int parameter, Range range)
      throws SQLException {
    statement.setLong(parameter, range.thread());
    statement.setLong(parameter + 1, range.from());
    statement.setLong(parameter + 2, range.to());
    return parameter + 3;
  }
}
