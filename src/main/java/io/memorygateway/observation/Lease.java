package io.memorygateway.observation;

/**
 * The right to work on a thread. Whoever writes what came of the work checks it in the same
 * transaction.
 *
 * @param threadId {@code threads.id}
 * @param owner another one for each taking
 * @param attempts how often the work failed before
 * @param urgent whether it does not give way to calls
 */
record Lease(long threadId, String owner, int attempts, boolean urgent) {}
