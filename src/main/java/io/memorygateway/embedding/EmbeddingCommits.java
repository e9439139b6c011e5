package io.memorygateway.embedding;

import com.google.common.collect.Lists;
import io.memorygateway.database.Deadline;
import io.memorygateway.database.Transactions;
import io.memorygateway.embedding.VectorDao.PendingThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Stores vectors under the lock of their thread, only those of messages that have not changed since
 * they were embedded. Changing or deleting a message takes the same lock, and removes its vector.
 */
record EmbeddingCommits(Transactions transactions) {
  private static final int ROWS_PER_STATEMENT = 100;
  private static final Duration HEAP_TIMEOUT = Duration.ofSeconds(10);

  /**
   * The embedded messages of one thread.
   *
   * @param texts the texts that were embedded, by seq
   * @param vectors by seq; none for messages that the model refused
   * @param end every message before this seq that lacked a vector is among the texts, or has no
   *     text
   */
  record Embedded(
      PendingThread thread,
      int model,
      Map<Long, @Nullable String> texts,
      SortedMap<Long, byte[]> vectors,
      long end) {}

  /** Stores vectors; returns how many. None if the thread was deleted meanwhile. */
  int store(Embedded embedded) {
    return transactions.write(Deadline.in(HEAP_TIMEOUT), handle -> store(handle, embedded));
  }

  private static int store(Handle handle, Embedded embedded) {
    VectorDao dao = handle.attach(VectorDao.class);
    PendingThread thread = embedded.thread;
    Long changed = dao.lock(thread.id()).orElse(null);
    if (changed == null) {
      return 0;
    }
    SortedMap<Long, byte[]> good = new TreeMap<>(embedded.vectors);
    long end = embedded.end;
    if (changed != thread.changedVersion()) {
      Map<Long, @Nullable String> now =
          PendingMessages.texts(dao, thread.id(), embedded.texts.keySet());
      for (Map.Entry<Long, @Nullable String> read : embedded.texts.entrySet()) {
        long seq = read.getKey();
        if (!now.containsKey(seq)) {
          good.remove(seq); // deleted
        } else if (!Objects.equals(now.get(seq), read.getValue())) {
          good.remove(seq);
          end = Math.min(end, seq);
        }
      }
    }
    List<VectorDao.NewVector> vectors = new ArrayList<>();
    good.forEach(
        (seq, vector) ->
            vectors.add(
                new VectorDao.NewVector(
                    thread.project(),
                    thread.resourceHash(),
                    thread.id(),
                    seq,
                    embedded.model,
                    vector)));
    Lists.partition(vectors, ROWS_PER_STATEMENT).forEach(dao::store);
    advance(dao, embedded, end);
    return good.size();
  }

  private static void advance(VectorDao dao, Embedded embedded, long end) {
    PendingThread thread = embedded.thread;
    VectorDao.State state = dao.lockState(thread.id()).orElse(null);
    if (state == null) {
      dao.begin(thread, embedded.model, end);
      return;
    }
    boolean same = state.model() == embedded.model;
    // Less than expected: an earlier message was changed meanwhile and is to be embedded first.
    if (!same || state.nextSeq() >= thread.from()) {
      dao.advance(thread.id(), embedded.model, same ? Math.max(end, state.nextSeq()) : end);
    }
  }
}
