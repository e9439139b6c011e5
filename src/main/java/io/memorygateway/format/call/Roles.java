package io.memorygateway.format.call;

/** What a server demands of the roles of messages, each more than the one before it. */
public enum Roles {
  /** Nothing, as far as is known. */
  ANY,
  /** One message of the system, at the beginning, and, in Chat, no two of the user in a row. */
  STRICT,
  /** And what Mistral's models demand besides; in Messages that the user's message is the last. */
  OF_MISTRAL
}
