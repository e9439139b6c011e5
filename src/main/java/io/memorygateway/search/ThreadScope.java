package io.memorygateway.search;

/**
 * A thread that is searched, as it was when the search began.
 *
 * @param id {@code threads.id}
 * @param nextSeq what the next message will get
 * @param storedBytes bytes of content that were ever stored, rewritten ones included
 * @param version one more with every change
 */
record ThreadScope(
    long id, String publicId, long nextSeq, long messageCount, long storedBytes, long version) {}
