package io.memorygateway.bench.quality;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A long conversation of the LoCoMo set with its questions; the adversarial ones are left out.
 *
 * @param utterances in their order
 */
record Conversation(String name, List<Utterance> utterances, List<Question> questions) {
  private static final DateTimeFormatter WHEN =
      new DateTimeFormatterBuilder()
          .parseCaseInsensitive()
          .appendPattern("h:mm a 'on' d MMMM, yyyy")
          .toFormatter(Locale.ENGLISH);

  private static final int ADVERSARIAL = 5;

  /**
   * What somebody said.
   *
   * @param index among the utterances of the conversation
   * @param role user for the first speaker, assistant for the second
   */
  record Utterance(int index, int session, String role, String text, Instant time) {}

  /**
   * A question about the conversation.
   *
   * @param category 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop
   */
  record Question(int category, String text, String answer, List<Utterance> evidence) {
    boolean temporal() {
      return category == 2;
    }

    boolean openDomain() {
      return category == 3;
    }
  }

  /** The conversations of a file such as {@code locomo10.json}. */
  static List<Conversation> read(Path file) throws IOException {
    List<Conversation> conversations = new ArrayList<>();
    for (JsonNode each : new ObjectMapper().readTree(file.toFile())) {
      conversations.add(of(each));
    }
    return conversations;
  }

  /** Conversations one after the other, as one. */
  static Conversation joined(List<Conversation> conversations) {
    List<Utterance> utterances = new ArrayList<>();
    List<Question> questions = new ArrayList<>();
    int session = 0;
    for (Conversation each : conversations) {
      int first = utterances.size();
      int before = session;
      for (Utterance said : each.utterances) {
        session = before + said.session;
        utterances.add(new Utterance(utterances.size(), session, said.role, said.text, said.time));
      }
      for (Question asked : each.questions) {
        List<Utterance> evidence =
            asked.evidence.stream().map(said -> utterances.get(first + said.index)).toList();
        questions.add(new Question(asked.category, asked.text, asked.answer, evidence));
      }
    }
    return new Conversation("all", utterances, questions);
  }

  private static Conversation of(JsonNode json) {
    JsonNode sessions = json.path("conversation");
    String first = sessions.path("speaker_a").asText();
    List<Utterance> utterances = new ArrayList<>();
    Map<String, Utterance> byId = new HashMap<>();
    for (int session = 1; sessions.has("session_" + session + "_date_time"); session++) {
      Instant start =
          LocalDateTime.parse(sessions.path("session_" + session + "_date_time").asText(), WHEN)
              .toInstant(ZoneOffset.UTC);
      int inSession = 0;
      for (JsonNode said : sessions.path("session_" + session)) {
        String role = said.path("speaker").asText().equals(first) ? "user" : "assistant";
        Instant time = start.plusSeconds(30L * inSession++);
        Utterance utterance =
            new Utterance(utterances.size(), session, role, said.path("text").asText(), time);
        utterances.add(utterance);
        byId.put(said.path("dia_id").asText(), utterance);
      }
    }
    List<Question> questions = new ArrayList<>();
    for (JsonNode asked : json.path("qa")) {
      Set<Utterance> evidence = new LinkedHashSet<>();
      for (JsonNode ids : asked.path("evidence")) {
        for (String id : ids.asText().split("[;, ]+", -1)) {
          if (byId.containsKey(id)) {
            evidence.add(byId.get(id));
          }
        }
      }
      int category = asked.path("category").asInt();
      if (category != ADVERSARIAL && !evidence.isEmpty()) {
        questions.add(
            new Question(
                category,
                asked.path("question").asText(),
                asked.path("answer").asText(),
                List.copyOf(evidence)));
      }
    }
    return new Conversation(json.path("sample_id").asText(), utterances, questions);
  }
}
