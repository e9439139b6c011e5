package io.memorygateway.search;

/**
 * A thread that is searched, as it was when the search began.
 *
 * @param id {@code threads.id}
 * @param baseSeq seqs below are of messages that are gone
 * @param nextSeq what the next message will get
 * @param storedBytes bytes of content that were ever stored, rewritten ones included
 * @param version one more with every change
 */
record ThreadScope(
    long id,
    String publicId,
    long baseSeq,
    long nextSeq,
    long messageCount,
    long storedBytes,
    long version) {}
