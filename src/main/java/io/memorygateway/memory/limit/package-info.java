/** The limit of the bytes that a project stores. */
package io.memorygateway.memory.limit;
