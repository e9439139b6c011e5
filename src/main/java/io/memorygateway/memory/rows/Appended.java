package io.memorygateway.memory.rows;

import java.util.List;

/**
 * Messages that were stored or found, in the order in which they were given, and the thread
 * afterwards.
 *
 * @param found how many of the messages existed before
 */
public record Appended(ThreadHead thread, List<MessageRow> messages, int found) {
  public MessageSnapshot snapshot() {
    return snapshot(0);
  }

  /** References to the messages from an index on. */
  public MessageSnapshot snapshot(int from) {
    return new MessageSnapshot(
        SeqRanges.of(messages.stream().skip(from).map(MessageRow::seq).toList()), thread.version());
  }
}
