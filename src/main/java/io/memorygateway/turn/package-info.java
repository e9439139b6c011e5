/**
 * Turns of threads (contract §7): what of a proxied call is new, what goes upstream of its thread,
 * and what is stored of it when it ends.
 */
@org.jspecify.annotations.NullMarked
package io.memorygateway.turn;
