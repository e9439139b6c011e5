package io.memorygateway.turn;

import io.memorygateway.memory.rows.LastCall;
import org.jspecify.annotations.Nullable;

/**
 * The state of a thread when a turn is opened.
 *
 * @param thread {@code threads.id}
 * @param lastCall null unless the thread ends with a whole turn
 */
record TailHead(long thread, String resourceId, long version, @Nullable LastCall lastCall) {}
