/**
 * A call as its caller sends it, and what all formats do alike when memory is written into it:
 * order, pairs of calls and results, ids.
 */
package io.memorygateway.format.call;
