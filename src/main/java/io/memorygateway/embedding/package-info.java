/**
 * Embeddings of messages for search by meaning (contract §11). {@link
 * io.memorygateway.embedding.Embedder} embeds messages in the background, on one node at a time,
 * and stores a vector for each; {@link io.memorygateway.embedding.QueryEmbedding} embeds the query
 * of a search within a short time limit; {@link io.memorygateway.embedding.ThreadVectors} are the
 * vectors of a thread, cached up to a bound of bytes ({@link
 * io.memorygateway.embedding.VectorCache}).
 *
 * <p>{@code PendingThreads} finds the threads that have messages without vectors; nothing is
 * written when messages are stored. A vector is removed in the transaction that changes or deletes
 * its message, and is stored only if its message has not changed since it was embedded.
 */
@org.jspecify.annotations.NullMarked
package io.memorygateway.embedding;
