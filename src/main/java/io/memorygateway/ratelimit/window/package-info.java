/** Fixed windows in MySQL, shared exactly by all nodes; many requests share one round trip. */
@NullMarked
package io.memorygateway.ratelimit.window;

import org.jspecify.annotations.NullMarked;
