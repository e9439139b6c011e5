package io.memorygateway.embedding;

/**
 * A thread with messages to be embedded, in its state when it was read.
 *
 * @param id {@code threads.id}
 * @param project {@code projects.id}
 * @param resourceHash see {@link ResourceHash}
 * @param from messages before this seq have been embedded
 * @param to seq behind the last message
 * @param changedVersion version of the last change of messages other than storing new ones
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record PendingThread(
    long id, long project, byte[] resourceHash, long from, long to, long changedVersion) {}
