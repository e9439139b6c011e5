/**
 * HTTP side of rate limits: configuration, filter, headers, metrics and health. The filter decides
 * after authentication and before a resource is matched; {@link io.memorygateway.ratelimit.window}
 * counts.
 */
@NullMarked
package io.memorygateway.ratelimit;

import org.jspecify.annotations.NullMarked;
