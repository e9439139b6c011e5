/** Access log with one line for every request, and metrics of requests. */
@org.jspecify.annotations.NullMarked
package io.memorygateway.access;
