package io.memorygateway.search;

import io.memorygateway.memory.rows.MessageRow;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message that was found.
 *
 * @param threadId the id that clients see
 * @param title of the thread
 * @param matched words of the query that the message itself contains
 * @param before the neighbours before it, oldest first
 * @param after the neighbours behind it, oldest first
 */
public record Hit(
    String threadId,
    @Nullable String title,
    MessageRow message,
    double score,
    List<String> matched,
    List<MessageRow> before,
    List<MessageRow> after) {

  public Hit {
    matched = List.copyOf(matched);
    before = List.copyOf(before);
    after = List.copyOf(after);
  }
}
