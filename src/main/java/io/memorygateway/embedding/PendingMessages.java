package io.memorygateway.embedding;

import io.memorygateway.embedding.VectorDao.PendingThread;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the messages of a thread that lack a vector, a bounded number at once. */
final class PendingMessages {
  /** Characters; of a larger content only the beginning of its JSON is embedded. */
  private static final int MAX_CONTENT_CHARACTERS = 1 << 20;

  private static final int ROW_OVERHEAD = 100;

  private PendingMessages() {}

  /**
   * The first messages of a thread that lack a vector.
   *
   * @param texts by seq; null if there is nothing to embed
   * @param end seq behind the last message that was read
   * @param bytes of contents that were read
   */
  record Read(Map<Long, @Nullable String> texts, long end, long bytes) {}

  /**
   * Reads messages.
   *
   * @param messages at most
   * @param maxBytes of contents; at least one message is read, whatever its size
   */
  static Read read(VectorDao dao, PendingThread thread, int model, int messages, long maxBytes) {
    List<Long> seqs = new ArrayList<>();
    long bytes = 0;
    long end = thread.to();
    for (VectorDao.Lacking message : dao.lacking(thread, model, messages + 1)) {
      long own = Math.min(message.size(), MAX_CONTENT_CHARACTERS) + ROW_OVERHEAD;
      if (seqs.size() == messages || (!seqs.isEmpty() && bytes + own > maxBytes)) {
        end = message.seq();
        break;
      }
      seqs.add(message.seq());
      bytes += own;
    }
    return new Read(texts(dao, thread.id(), seqs), end, bytes);
  }

  /** The texts to be embedded of those messages that still exist, by seq. */
  static Map<Long, @Nullable String> texts(VectorDao dao, long thread, Collection<Long> seqs) {
    Map<Long, @Nullable String> texts = new HashMap<>();
    if (!seqs.isEmpty()) {
      dao.contents(thread, seqs, MAX_CONTENT_CHARACTERS, EmbeddingText.MAX_CHARACTERS)
          .forEach(
              message ->
                  texts.put(
                      message.seq(), EmbeddingText.of(message.content(), message.complete())));
    }
    return texts;
  }
}
