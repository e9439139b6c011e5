package io.memorygateway.search;

import io.memorygateway.format.content.MessageText;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/** SQL by which search reads messages to index them. */
final class IndexStatements {
  /** Characters; of a larger content only the beginning is indexed. */
  static final int MAX_CONTENT_CHARACTERS = 1 << 20;

  /** Of a large content, only the first {@value #MAX_CONTENT_CHARACTERS} characters are read. */
  private static final String MESSAGES =
      """
      SELECT thread_id, seq, role, created_at, content_bytes, IF(content_bytes > %1$d, LEFT(content, %1$d), content)
      FROM messages WHERE
      """
          .formatted(MAX_CONTENT_CHARACTERS);

  private IndexStatements() {}

  /**
   * A message to be indexed.
   *
   * @param bytes of its whole content
   */
  record Message(
      long thread, long seq, String role, Instant createdAt, long bytes, String content) {
    String text() {
      return bytes > MAX_CONTENT_CHARACTERS
          ? content.substring(0, Math.min(content.length(), MessageText.MAX_CHARACTERS))
          : MessageText.of(content);
    }
  }

  /** Seqs of a thread, the end not included. */
  record Range(long thread, long from, long to) {}

  /** The messages of some ranges, thread by thread, in their order. */
  static List<Message> messages(Handle handle, List<Range> ranges) {
    return within(handle, MESSAGES, ranges)
        .map(
            (row, context) ->
                new Message(
                    row.getLong(1),
                    row.getLong(2),
                    row.getString(3),
                    row.getObject(4, LocalDateTime.class).toInstant(ZoneOffset.UTC),
                    row.getLong(5),
                    row.getString(6)))
        .stream()
        .sorted(Comparator.comparingLong(Message::thread).thenComparingLong(Message::seq))
        .toList();
  }

  /** The seqs of the messages in some ranges. */
  static Set<Long> seqs(Handle handle, List<Range> ranges) {
    return within(handle, "SELECT seq FROM messages WHERE ", ranges)
        .mapTo(Long.class)
        .collect(Collectors.toSet());
  }

  private static Query within(Handle handle, String select, List<Range> ranges) {
    String range = "(thread_id = ? AND seq >= ? AND seq < ?)";
    // By this list alone a home is told, of any number of threads.
    String threads = String.join(", ", Collections.nCopies(ranges.size(), "?"));
    String all = String.join(" OR ", Collections.nCopies(ranges.size(), range));
    Query query = handle.createQuery(select + "thread_id IN (" + threads + ") AND (" + all + ")");
    int next = 0;
    for (Range each : ranges) {
      query.bind(next++, each.thread());
    }
    for (Range each : ranges) {
      query.bind(next++, each.thread()).bind(next++, each.from()).bind(next++, each.to());
    }
    return query;
  }
}
