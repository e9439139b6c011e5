/**
 * Circuit breakers: decide whether calls are sent to a target that has failed recently. Each node
 * counts for itself.
 */
@NullMarked
package io.memorygateway.proxy.circuit;

import org.jspecify.annotations.NullMarked;
