package io.memorygateway.observation;

import java.util.List;

/**
 * The messages of a thread that are not observed yet, oldest first: all of them, or as many of the
 * oldest as are worked on at once.
 *
 * @param pendingTokens of all of them, read or not
 * @param pendingBytes of those that were read
 * @param whole whether they are all
 */
record Tail(
    List<UnobservedMessage> messages, long pendingTokens, long pendingBytes, boolean whole) {

  /** The messages behind a seq. */
  List<UnobservedMessage> after(long seq) {
    return messages.stream().filter(message -> message.seq() > seq).toList();
  }

  static long tokens(List<UnobservedMessage> messages) {
    return messages.stream().mapToLong(UnobservedMessage::tokens).sum();
  }
}
