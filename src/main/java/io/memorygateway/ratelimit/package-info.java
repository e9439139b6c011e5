/** Rate limits as requests meet them: configuration, filter, headers, metrics and health. */
@NullMarked
package io.memorygateway.ratelimit;

import org.jspecify.annotations.NullMarked;
