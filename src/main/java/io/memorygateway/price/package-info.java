/**
 * What a call of a model costs: the price table of the jar, prices of the configuration, and exact
 * sums. Money is integer pico-dollars; a price that is not known is null, never 0.
 */
@org.jspecify.annotations.NullMarked
package io.memorygateway.price;
