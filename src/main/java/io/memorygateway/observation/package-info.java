/**
 * Observational memory: notes that replace the oldest messages of a thread in its context (contract
 * §8). Jobs, leases, records and commits: which thread is observed when, by which node, exactly
 * once; and the context that a turn is given. The notes themselves are made in {@code
 * observation.text}. Knows threads by {@code threads.id} only.
 */
package io.memorygateway.observation;
