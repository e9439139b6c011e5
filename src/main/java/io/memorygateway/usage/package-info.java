/**
 * Request log: a row for each proxied call, written in the background, and reports of totals. Rows
 * wait in a bounded queue; a call never waits for its row.
 */
@org.jspecify.annotations.NullMarked
package io.memorygateway.usage;
