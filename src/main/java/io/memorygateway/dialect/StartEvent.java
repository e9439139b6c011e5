package io.memorygateway.dialect;

/** What an event at the start of a streamed answer says (contract §10). */
public enum StartEvent {
  /** It has no data. */
  COMMENT,
  /** The answer has begun, and says nothing yet: a role, a response that was created, a ping. */
  EMPTY,
  /** Text, reasoning, a tool call, a finish, or something unknown. */
  CONTENT,
  /** The upstream reports an error. */
  ERROR,
  /** The answer is over. */
  END
}
