package io.memorygateway.bench.quality;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.observation.text.TokenCounter;
import java.util.List;
import java.util.Locale;

/**
 * What reflections leave of all conversations in one thread, after ten of them and at the end.
 *
 * <p>Questions count all of whose evidence has been observed. The oldest half is that of the tokens
 * observed.
 */
final class Reflections {
  private static final int MANY = 10;

  private final Gateway gateway;
  private final TokenCounter counter;

  Reflections(Gateway gateway, TokenCounter counter) {
    this.gateway = gateway;
    this.counter = counter;
  }

  void measure(Conversation all, Gateway.Thresholds thresholds) throws Exception {
    String thread = gateway.create("reflections", thresholds);
    JsonNode record = null;
    boolean reached = false;
    for (List<Conversation.Utterance> said : Feeding.posts(all)) {
      gateway.post(thread, said);
      record = gateway.awaitObserver(thread);
      if (!reached && record.path("generationCount").asInt() >= MANY) {
        reached = true;
        report(all, record);
      }
    }
    report(all, record);
  }

  private void report(Conversation all, JsonNode record) {
    long observed = record.path("totalTokensObserved").asLong();
    int end = messages(all, observed);
    int middle = messages(all, observed / 2);
    String log = record.path("activeObservations").asText();
    Retained retained = new Retained(all).addLog(log);
    Measures known = new Measures();
    Measures oldest = new Measures();
    for (Conversation.Question question : all.questions()) {
      int last =
          question.evidence().stream().mapToInt(Conversation.Utterance::index).max().orElseThrow();
      if (last < end) {
        known.add(retained, question);
      }
      if (last < middle) {
        oldest.add(retained, question);
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%s, %d reflections, %,d tokens observed, %,d of observations: evidence %.1f, of the oldest"
            + " half %.1f%n",
        record.path("threadId").asText(),
        record.path("generationCount").asInt(),
        observed,
        counter.count(log),
        known.meanEvidence(),
        oldest.meanEvidence());
  }

  /** Number of the messages that begin within so many tokens. */
  private int messages(Conversation all, long tokens) {
    long left = tokens;
    int count = 0;
    while (left > 0 && count < all.utterances().size()) {
      left -= counter.count(all.utterances().get(count++).text());
    }
    return count;
  }
}
