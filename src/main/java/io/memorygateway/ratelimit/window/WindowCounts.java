package io.memorygateway.ratelimit.window;

/**
 * Counters of one key at one time; both arrays are indexed by rule and not to be changed.
 *
 * @param starts of each counter's window, milliseconds since the epoch; -1 where unknown
 * @param used requests admitted in that window
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record WindowCounts(long[] starts, long[] used) {}
