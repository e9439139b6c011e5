/** Writes and proxied calls with an Idempotency-Key, and what is kept to answer them again. */
package io.memorygateway.memory.replay;
