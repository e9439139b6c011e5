package io.memorygateway.bench.quality;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Whether search finds the evidence of questions, in messages observed or not. */
final class SearchQuality {
  private static final int[] DEPTHS = {5, 10, 20};

  private final Gateway gateway;

  SearchQuality(Gateway gateway) {
    this.gateway = gateway;
  }

  /**
   * Prints the share of the questions any of whose evidence is among the first messages found.
   *
   * @param set the name of the conversations
   * @param embedded whether the gateway has a model that embeds messages
   */
  void measure(String set, List<Conversation> conversations, boolean embedded) throws Exception {
    Map<Conversation, String> threads = feed(conversations);
    if (embedded) {
      gateway.awaitEmbeddings();
    }
    int questions = 0;
    int hybrid = 0;
    int[] any = new int[DEPTHS.length];
    List<Long> nanos = new ArrayList<>();
    for (Conversation conversation : conversations) {
      String thread = threads.get(conversation);
      for (Conversation.Question question : conversation.questions()) {
        long start = System.nanoTime();
        Gateway.Found found = gateway.search(thread, question.text(), DEPTHS[DEPTHS.length - 1]);
        nanos.add(System.nanoTime() - start);
        questions++;
        hybrid += found.hybrid() ? 1 : 0;
        Set<Instant> wanted = new HashSet<>();
        question.evidence().forEach(said -> wanted.add(said.time()));
        for (int i = 0; i < DEPTHS.length; i++) {
          any[i] += found.times().stream().limit(DEPTHS[i]).anyMatch(wanted::contains) ? 1 : 0;
        }
      }
    }
    nanos.sort(null);
    System.out.printf(
        Locale.ROOT,
        "search in %s, %d of %d hybrid: recall@5 %.1f, @10 %.1f, @20 %.1f; p50 %.1f ms, p99 %.1f ms%n",
        set,
        hybrid,
        questions,
        100.0 * any[0] / questions,
        100.0 * any[1] / questions,
        100.0 * any[2] / questions,
        nanos.get(nanos.size() / 2) / 1e6,
        nanos.get(nanos.size() * 99 / 100) / 1e6);
  }

  private Map<Conversation, String> feed(List<Conversation> conversations) throws Exception {
    Map<Conversation, String> threads = new ConcurrentHashMap<>();
    Feeding.forAll(
        conversations,
        conversation -> {
          Gateway.Thresholds never = new Gateway.Thresholds(1_000_000, 40_000);
          String thread = gateway.create(conversation.name() + "-search", never);
          threads.put(conversation, thread);
          for (List<Conversation.Utterance> said : Feeding.posts(conversation)) {
            gateway.post(thread, said);
          }
        });
    return threads;
  }
}
