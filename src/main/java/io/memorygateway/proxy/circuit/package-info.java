/**
 * Circuit breakers: whether calls should be sent to something that failed lately. Each node counts
 * for itself.
 */
@NullMarked
package io.memorygateway.proxy.circuit;

import org.jspecify.annotations.NullMarked;
