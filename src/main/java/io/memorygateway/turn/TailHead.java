package io.memorygateway.turn;

/**
 * The state of a thread when a turn is opened.
 *
 * @param thread {@code threads.id}
 */
record TailHead(long thread, String resourceId, long version) {}
