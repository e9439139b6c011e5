/**
 * Resources of {@code /v1/memory} (contract §5). They parse request bodies and write responses; the
 * package {@code memory}, which does not know this one, does the rest.
 */
package io.memorygateway.memory.api;
