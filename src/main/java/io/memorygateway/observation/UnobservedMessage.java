package io.memorygateway.observation;

import io.memorygateway.dialect.MessagePiece;
import java.time.Instant;
import java.util.List;

/**
 * A stored message that is not observed yet.
 *
 * @param seq its place in the order of its thread
 * @param publicId as clients see it
 * @param tokens 0 if it is no part of the conversation any more
 */
record UnobservedMessage(
    long seq,
    String publicId,
    String role,
    List<MessagePiece> pieces,
    Instant createdAt,
    int tokens) {}
