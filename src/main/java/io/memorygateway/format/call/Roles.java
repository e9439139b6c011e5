package io.memorygateway.format.call;

/** What a server's chat template demands of messages, each more than the one before it. */
public enum Roles {
  /** Nothing, as far as is known. */
  ANY,
  /** One message of the system, at the beginning, and no two of the user in a row. */
  STRICT,
  /** And what Mistral's models demand besides. */
  OF_MISTRAL
}
