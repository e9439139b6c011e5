package io.memorygateway.format.content;

/** The format in which a part of a message is written, as far as its members tell. */
public enum Shape {
  CHAT,
  MESSAGES,
  RESPONSES,
  /**
   * A string, or {@code {"type":"text","text":…}} and nothing else: Chat and Messages take both.
   */
  PLAIN,
  /** Of no endpoint: a Vercel or Mastra part, or an unknown object. */
  FOREIGN;

  /**
   * Whether reasoning is in members of a message, beside its content, and has signatures of calls.
   */
  public boolean reasonsBesideContent() {
    return this == CHAT;
  }
}
