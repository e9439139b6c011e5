/** Waiting. */
@org.jspecify.annotations.NullMarked
package io.memorygateway.concurrent;
