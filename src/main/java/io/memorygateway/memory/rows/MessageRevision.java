package io.memorygateway.memory.rows;

import io.memorygateway.json.Characters;

/**
 * Former state of the parts of a message that can change.
 *
 * @param content JSON, verbatim
 */
public record MessageRevision(
    long seq, String type, String content, boolean incomplete, boolean superseded) {
  public static MessageRevision of(MessageRow row) {
    return new MessageRevision(
        row.seq(), row.type(), row.content(), row.incomplete(), row.superseded());
  }

  /** UTF-8 bytes of the content. */
  public long bytes() {
    return Characters.utf8Length(content);
  }

  /** Returns the message with this former state. */
  public MessageRow restore(MessageRow row) {
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
