package io.memorygateway.memory;

import org.jspecify.annotations.Nullable;

/**
 * Messages of an answer, by what names them and what they were at that time; {@link MessageRevisions}
 * has them.
 *
 * @param seqs in the order of the answer
 * @param version the thread's when they were read; null if they are wanted as they are now
 */
public record MessageSnapshot(SeqRanges seqs, @Nullable Long version) {}
