/** What background removal of old rows has in common. */
@org.jspecify.annotations.NullMarked
package io.memorygateway.housekeeping;
