package io.memorygateway.observation.text;

import io.memorygateway.format.content.MessagePiece;
import java.time.Instant;
import java.util.List;

/**
 * A stored message that is not observed yet.
 *
 * @param seq its position in its thread
 * @param publicId as clients see it
 * @param tokens 0 if it is superseded
 */
public record UnobservedMessage(
    long seq,
    String publicId,
    String role,
    List<MessagePiece> pieces,
    Instant createdAt,
    int tokens) {}
