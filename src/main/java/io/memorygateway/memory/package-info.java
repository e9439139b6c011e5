/**
 * Threads and their messages (contract §5). A thread owns everything below it: whoever changes
 * something of it locks its row in {@code thread_heads} first, and that lock gives messages their
 * order.
 *
 * <p>Messages are stored through {@link io.memorygateway.memory.Appends}, for the memory API and
 * for turns alike: small appends of many callers share a transaction, the others have one of their
 * own. Threads are copied through {@link io.memorygateway.memory.ThreadCloner}. Deleting a thread
 * takes away its head, which hides all of it at once; {@link
 * io.memorygateway.memory.RemovedThreads} removes the rows in the background.
 *
 * <p>{@link io.memorygateway.memory.IdempotentWrites} tells how a repeated Idempotency-Key is
 * answered, {@link io.memorygateway.memory.TurnClaims} the same of proxied calls, and {@link
 * io.memorygateway.memory.StorageLimit} how a project is kept from storing too much.
 *
 * <p>The resources of {@code /v1/memory} are in {@code memory.api}, which this package does not
 * know.
 */
package io.memorygateway.memory;
