package io.memorygateway.dialect;

/**
 * A message of a call, as it is to be stored if it is new.
 *
 * @param spelling the whole message or item as the caller spelt it
 */
record IncomingMessage(StoredMessage message, JsonValue spelling) {}
