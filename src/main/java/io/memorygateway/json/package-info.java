/**
 * JSON that comes from clients and goes back to them: checked strictly, cut into slices, never
 * re-typed, so that numbers, escapes and the order of members stay as they came (contract §5).
 */
package io.memorygateway.json;
