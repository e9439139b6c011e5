package io.memorygateway.memory.rows;

import io.memorygateway.memory.replay.MessageRevisions;
import org.jspecify.annotations.Nullable;

/**
 * References to the messages of a response; {@link MessageRevisions} reads them.
 *
 * @param seqs in the order of the response
 * @param version of the thread at which the messages are to be read; null for their present state
 */
public record MessageSnapshot(SeqRanges seqs, @Nullable Long version) {

  /** The same messages in their present state. */
  public MessageSnapshot latest() {
    return new MessageSnapshot(seqs, null);
  }
}
