/**
 * The resources of {@code /v1/memory} (contract §5): request bodies are parsed, and answers
 * written, here; what they mean is in {@code memory}, which does not know this package.
 */
package io.memorygateway.memory.api;
