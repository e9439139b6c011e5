package io.memorygateway.bench.quality;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.observation.text.TokenCounter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the observations of whole conversations retain alone, at the default thresholds: all
 * messages are observed, in the batches that a thread which grows would have.
 */
final class WholeLogs {
  private static final Gateway.Thresholds DEFAULTS = new Gateway.Thresholds(30_000, 40_000);
  private static final int BEYOND = 200;
  private static final int MOST_WAITS = 100;

  private final Gateway gateway;
  private final TokenCounter counter;

  WholeLogs(Gateway gateway, TokenCounter counter) {
    this.gateway = gateway;
    this.counter = counter;
  }

  /** Talk between two people. */
  void measure(List<Conversation> conversations) throws Exception {
    Map<Conversation, String> logs = logs(conversations);
    Measures measures = new Measures();
    for (Conversation conversation : conversations) {
      String log = logs.get(conversation);
      measures.size((double) counter.count(log) / tokens(conversation.utterances()));
      Retained retained = new Retained(conversation).addLog(log);
      conversation.questions().forEach(question -> measures.add(retained, question));
    }
    System.out.println(measures.row("observations alone, of whole conversations"));
  }

  /** Chats with an assistant: the user's evidence and the assistant's. */
  void measureChats(List<Chat> chats) throws Exception {
    Map<Conversation, String> logs = logs(chats.stream().map(Chat::conversation).toList());
    int half = chats.size() / 2;
    report(chats.subList(0, half), logs);
    report(chats.subList(half, chats.size()), logs);
  }

  private void report(List<Chat> chats, Map<Conversation, String> logs) {
    Measures ofUser = new Measures();
    Measures ofAssistant = new Measures();
    for (Chat chat : chats) {
      String log = logs.get(chat.conversation());
      ofUser.size((double) counter.count(log) / tokens(chat.conversation().utterances()));
      Retained retained = new Retained(chat.conversation()).addLog(log);
      chat.ofUser().forEach(question -> ofUser.add(retained, question));
      chat.ofAssistant().forEach(question -> ofAssistant.add(retained, question));
    }
    System.out.printf(
        Locale.ROOT,
        "observations alone, %d chats with an assistant: size %.1f, evidence of the user %.1f, of"
            + " the assistant %.1f%n",
        chats.size(),
        ofUser.meanSize(),
        ofUser.meanEvidence(),
        ofAssistant.meanEvidence());
  }

  private Map<Conversation, String> logs(List<Conversation> conversations) throws Exception {
    Map<Conversation, String> logs = new ConcurrentHashMap<>();
    Feeding.forAll(conversations, conversation -> logs.put(conversation, log(conversation)));
    return logs;
  }

  private String log(Conversation conversation) throws Exception {
    String thread = gateway.create(conversation.name() + "-whole", DEFAULTS);
    long posted = 0;
    for (List<Conversation.Utterance> said : Feeding.posts(conversation)) {
      gateway.post(thread, said);
      posted += tokens(said);
      settled(thread, posted);
    }
    long rest = posted - taken(settled(thread, posted));
    Conversation.Utterance filler =
        filler(
            conversation, Math.min(DEFAULTS.messages() - 1, DEFAULTS.messages() - rest + BEYOND));
    gateway.post(thread, List.of(filler));
    JsonNode record = settled(thread, posted + tokens(List.of(filler)));
    if (observed(record) != posted) {
      throw new IllegalStateException(
          thread + ": " + observed(record) + " tokens were observed, not " + posted);
    }
    return record.path("activeObservations").asText();
  }

  /** Waits until an observer has done what is due; gives the record. */
  private JsonNode settled(String thread, long posted) throws Exception {
    JsonNode record = gateway.awaitObserver(thread);
    for (int i = 0; i < MOST_WAITS && isDue(record, posted); i++) {
      record = gateway.awaitObserver(thread);
    }
    return record;
  }

  private static boolean isDue(JsonNode record, long posted) {
    return posted - taken(record) >= DEFAULTS.messages() / 5
        || posted - observed(record) >= DEFAULTS.messages();
  }

  private static long observed(JsonNode record) {
    return record.path("totalTokensObserved").asLong();
  }

  /** Tokens of the messages that have been observed, or are prepared. */
  private static long taken(JsonNode record) {
    long taken = observed(record);
    for (JsonNode chunk : record.path("bufferedObservationChunks")) {
      taken += chunk.path("messageTokens").asLong();
    }
    return taken;
  }

  /** A message that stays itself, and because of which all before it are observed. */
  private static Conversation.Utterance filler(Conversation conversation, long tokens) {
    List<Conversation.Utterance> all = conversation.utterances();
    Conversation.Utterance last = all.get(all.size() - 1);
    String text = "word" + " word".repeat((int) tokens - 1);
    return new Conversation.Utterance(all.size(), last.session(), "user", text, last.time());
  }

  private long tokens(List<Conversation.Utterance> said) {
    return said.stream().mapToLong(each -> counter.count(each.text())).sum();
  }
}
