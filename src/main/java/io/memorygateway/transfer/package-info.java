/** Export and import of threads as files of JSON lines, without loss. */
@org.jspecify.annotations.NullMarked
package io.memorygateway.transfer;
