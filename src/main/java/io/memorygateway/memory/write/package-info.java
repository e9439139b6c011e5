/** Changes of threads: appends, updates, clones, deletion. */
package io.memorygateway.memory.write;
