package io.memorygateway.bench.quality;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Attributes lines of a log to the messages of a conversation. */
final class LogLines {
  private static final int RUN = 3;

  /** The words of the messages, each between blanks. */
  private final Map<Conversation.Utterance, String> messages = new LinkedHashMap<>();

  LogLines(Conversation conversation) {
    conversation
        .utterances()
        .forEach(said -> messages.put(said, " " + Retained.key(said.text()) + " "));
  }

  /**
   * What a line has of a message.
   *
   * @param text those words of the line that stand in the message
   */
  record Part(Conversation.Utterance source, String text, int words) {}

  /**
   * The part of the message that a line is of: the one that has most of its words, in runs of three
   * at least.
   */
  Optional<Part> of(String line) {
    List<String> words = Retained.words(line);
    Part best = null;
    for (Map.Entry<Conversation.Utterance, String> message : messages.entrySet()) {
      Part part = part(words, message.getKey(), message.getValue());
      if (part.words > (best == null ? 0 : best.words)) {
        best = part;
      }
    }
    return Optional.ofNullable(best);
  }

  private static Part part(List<String> words, Conversation.Utterance source, String message) {
    int least = Math.min(RUN, words.size());
    StringBuilder text = new StringBuilder();
    int count = 0;
    int from = 0;
    while (from < words.size() && from + least <= words.size()) {
      int to = from + least;
      if (!holds(message, words.subList(from, to))) {
        from++;
        continue;
      }
      while (to < words.size() && holds(message, words.subList(from, to + 1))) {
        to++;
      }
      text.append(String.join(" ", words.subList(from, to))).append(' ');
      count += to - from;
      from = to;
    }
    return new Part(source, text.toString(), count);
  }

  private static boolean holds(String message, List<String> words) {
    return message.contains(" " + String.join(" ", words) + " ");
  }
}
