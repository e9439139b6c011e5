/**
 * Threads and their messages (contract §5). A thread owns everything below it: every change of it
 * first locks the thread's row in {@code thread_heads}, and that lock gives messages their order.
 *
 * <p>Messages are stored through {@link io.memorygateway.memory.write.Appends}, for the memory API
 * and for turns alike: small appends of many callers share a transaction, others have one each.
 * Threads are copied through {@link io.memorygateway.memory.write.ThreadCloner}. Deleting a thread
 * deletes its head, which hides all of it at once; {@link
 * io.memorygateway.memory.write.RemovedThreads} removes the rows in the background.
 *
 * <p>{@link io.memorygateway.memory.replay.IdempotentWrites} describes how a repeated
 * Idempotency-Key is answered, {@link io.memorygateway.memory.replay.TurnClaims} the same for
 * proxied calls, and {@link io.memorygateway.memory.limit.StorageLimit} how the bytes of a project
 * are bounded.
 *
 * <p>The resources of {@code /v1/memory} are in {@code memory.api}, on which this package does not
 * depend.
 */
package io.memorygateway.memory;
