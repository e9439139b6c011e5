/**
 * Observational memory: what is kept of a thread in place of its oldest messages (contract §8).
 * Knows threads by {@code threads.id} only.
 */
package io.memorygateway.observation;
