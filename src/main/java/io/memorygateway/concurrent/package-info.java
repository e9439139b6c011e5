/**
 * Building blocks for threads: group commit, cheap timed waits, background writers, permits for
 * which keys take turns, interruption, daemon threads.
 */
@org.jspecify.annotations.NullMarked
package io.memorygateway.concurrent;
