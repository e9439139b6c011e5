package io.memorygateway.format.answer;

/** Classification of the first events of a streamed answer (contract §10). */
public enum StartEvent {
  /** A comment: it has no data. */
  COMMENT,
  /** The answer has begun, without content so far: a role, a created response, a ping. */
  EMPTY,
  /** Text, reasoning, a tool call, a finish reason, or anything unknown. */
  CONTENT,
  /** The upstream reports an error. */
  ERROR,
  END
}
