/** One line in the access log, and the metrics, of every request. */
@org.jspecify.annotations.NullMarked
package io.memorygateway.access;
