/** The request log: a row for each proxied call, written in the background, and totals over it. */
@org.jspecify.annotations.NullMarked
package io.memorygateway.usage;
