package io.memorygateway.observation;

/**
 * The right to work on a thread. It is checked in the transaction that writes the results.
 *
 * @param threadId {@code threads.id}
 * @param owner a new one each time a job is taken
 * @param attempts how often the work failed before
 * @param urgent whether the work does not pause for calls
 */
record Lease(long threadId, String owner, int attempts, boolean urgent) {}
