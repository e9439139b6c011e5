/**
 * Request log with a row for each proxied call, and reports of totals. Rows are written in the
 * background from a bounded queue; a call never waits for its row.
 */
@org.jspecify.annotations.NullMarked
package io.memorygateway.usage;
