/** Moves of projects to other homes. */
@org.jspecify.annotations.NullMarked
package io.memorygateway.move;
