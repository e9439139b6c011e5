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

  public long bytes() {
    return Characters.utf8Length(content);
  }

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
