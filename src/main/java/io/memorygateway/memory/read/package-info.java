/** Pages of threads and messages. */
package io.memorygateway.memory.read;
