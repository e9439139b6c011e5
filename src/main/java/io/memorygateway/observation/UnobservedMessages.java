package io.memorygateway.observation;

import io.memorygateway.observation.text.UnobservedMessage;
import java.util.List;

/**
 * The messages of a thread that are not observed yet, oldest first: all of them, or as many of the
 * oldest as are processed at once.
 *
 * @param pendingTokens of all unobserved messages, read or not
 * @param pendingBytes of those that were read
 * @param complete whether all were read
 */
record UnobservedMessages(
    List<UnobservedMessage> messages, long pendingTokens, long pendingBytes, boolean complete) {

  /** The messages behind a seq. */
  List<UnobservedMessage> after(long seq) {
    return messages.stream().filter(message -> message.seq() > seq).toList();
  }

  static long tokens(List<UnobservedMessage> messages) {
    return messages.stream().mapToLong(UnobservedMessage::tokens).sum();
  }
}
