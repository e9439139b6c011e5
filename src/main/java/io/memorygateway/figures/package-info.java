/** Figures of a call: which there are, under which names, and their values for one call. */
@org.jspecify.annotations.NullMarked
package io.memorygateway.figures;
