package io.memorygateway.memory;

import io.memorygateway.json.Characters;

/**
 * What may change of a message, as it was.
 *
 * @param content JSON, as it was spelt
 */
public record MessageRevision(
    long seq, String type, String content, boolean incomplete, boolean superseded) {
  static MessageRevision of(MessageRow row) {
    return new MessageRevision(
        row.seq(), row.type(), row.content(), row.incomplete(), row.superseded());
  }

  /** Bytes of the content as it is stored. */
  public long bytes() {
    return Characters.utf8Length(content);
  }

  /** A message as it was then. */
  MessageRow restore(MessageRow row) {
    return new MessageRow(
        row.seq(),
        row.publicId(),
        row.role(),
        type,
        content,
        row.createdAt(),
        incomplete,
        superseded);
  }
}
