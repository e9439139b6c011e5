/** Threads that wait, and that work in the background. */
@org.jspecify.annotations.NullMarked
package io.memorygateway.concurrent;
