/**
 * Answers of upstreams, whole or streamed: what they say of themselves, how they end, and what of
 * them is stored.
 */
package io.memorygateway.format.answer;
