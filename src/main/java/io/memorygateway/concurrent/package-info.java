/**
 * Building blocks for threads: group commit, cheap timed waits, background writers, interruption,
 * daemon threads.
 */
@org.jspecify.annotations.NullMarked
package io.memorygateway.concurrent;
