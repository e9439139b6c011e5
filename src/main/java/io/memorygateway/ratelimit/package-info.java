/**
 * Rate limits, exact across nodes: fixed windows in MySQL, many requests decided by one round trip.
 */
@NullMarked
package io.memorygateway.ratelimit;

import org.jspecify.annotations.NullMarked;
