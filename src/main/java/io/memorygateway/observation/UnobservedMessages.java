package io.memorygateway.observation;

import io.memorygateway.observation.text.UnobservedMessage;
import java.util.List;
import java.util.stream.Stream;

/**
 * The messages of a thread that are not observed yet, oldest first: all of them, or as many of the
 * oldest as are processed at once.
 *
 * @param observed the last that are observed, of those that are not very large
 * @param pendingTokens of all unobserved messages, read or not
 * @param pendingBytes of those that were read
 */
record UnobservedMessages(
    List<UnobservedMessage> observed,
    List<UnobservedMessage> messages,
    long pendingTokens,
    long pendingBytes) {

  List<UnobservedMessage> after(long seq) {
    return messages.stream().filter(message -> message.seq() > seq).toList();
  }

  /** The messages up to a seq, of which the last ones are surely there. */
  List<UnobservedMessage> before(long seq) {
    return Stream.concat(observed.stream(), messages.stream())
        .filter(message -> message.seq() <= seq)
        .toList();
  }

  static long tokens(List<UnobservedMessage> messages) {
    return messages.stream().mapToLong(UnobservedMessage::tokens).sum();
  }
}
