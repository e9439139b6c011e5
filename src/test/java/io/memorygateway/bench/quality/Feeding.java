package io.memorygateway.bench.quality;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The portions in which conversations are posted, and how many at once. */
final class Feeding {
  private static final int AT_ONCE = 4;
  private static final int POSTED_AT_ONCE = 20;

  private Feeding() {}

  /** Something that is done with each conversation. */
  interface Work {
    void with(Conversation conversation) throws Exception;
  }

  static void forAll(List<Conversation> conversations, Work work) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(AT_ONCE);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (Conversation conversation : conversations) {
        all.add(
            executor.submit(
                () -> {
                  work.with(conversation);
                  return null;
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      executor.shutdownNow();
    }
  }

  /** The messages of a conversation, each time twenty of a session at most. */
  static List<List<Conversation.Utterance>> posts(Conversation conversation) {
    List<List<Conversation.Utterance>> posts = new ArrayList<>();
    List<Conversation.Utterance> all = conversation.utterances();
    int from = 0;
    while (from < all.size()) {
      int to = from + 1;
      while (to < all.size()
          && all.get(to).session() == all.get(from).session()
          && to - from < POSTED_AT_ONCE) {
        to++;
      }
      posts.add(all.subList(from, to));
      from = to;
    }
    return posts;
  }
}
