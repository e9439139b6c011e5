package io.memorygateway.search;

import java.time.Instant;

/**
 * A thread to be searched, in its state when the search began.
 *
 * @param id {@code threads.id}
 * @param baseSeq messages below this seq are deleted
 * @param nextSeq seq of the next message
 * @param storedBytes bytes of content that were ever stored, rewritten ones included
 * @param version incremented by every change
 */
record ThreadScope(
    long id,
    String publicId,
    long baseSeq,
    long nextSeq,
    long messageCount,
    long storedBytes,
    long version,
    Instant updatedAt) {}
