package io.memorygateway.format.translation;

/** Why an answer ended. */
public enum Stop {
  END,
  /** The limit of the output was reached, or the end of the context. */
  LENGTH,
  /** It has calls that the caller is to run. */
  TOOLS,
  /** A stop sequence of the caller. */
  SEQUENCE,
  /** The model or a filter refused to say more. */
  REFUSAL,
  /** The provider paused while it runs tools of its own. */
  PAUSE,
  /** A reason that the gateway does not know. */
  UNKNOWN,
  /** No reason was said. */
  NONE
}
