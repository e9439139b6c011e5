package io.memorygateway.bench.quality;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A long chat with an assistant of the BEAM set.
 *
 * @param conversation with the questions that have evidence
 * @param ofUser questions with what the user said of their evidence
 * @param ofAssistant likewise
 */
record Chat(
    Conversation conversation,
    List<Conversation.Question> ofUser,
    List<Conversation.Question> ofAssistant) {
  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("MMMM-dd-uuuu", Locale.ENGLISH);
  private static final Pattern ANCHOR = Pattern.compile("[A-Z][a-z]+-\\d\\d-\\d{4}");

  /** The plan's number of a message, which stands behind its text. */
  private static final Pattern PLAN = Pattern.compile("\\s*->->\\s*[0-9,. /NA]*\\s*$");

  private static final Set<String> ROLES = Set.of("user", "assistant");

  private static final ObjectMapper JSON = new ObjectMapper();

  /** The chats of a directory of numbered directories, such as {@code chats/100K}. */
  static List<Chat> read(Path directory) throws IOException {
    List<Chat> chats = new ArrayList<>();
    try (Stream<Path> each = Files.list(directory)) {
      for (Path chat :
          each.filter(Files::isDirectory)
              .sorted(Comparator.comparingInt(path -> Integer.parseInt(path.toFile().getName())))
              .toList()) {
        chats.add(of(chat));
      }
    }
    return chats;
  }

  private static Chat of(Path directory) throws IOException {
    // The spelling is that of the set: the chat at the length that the questions are asked of.
    Path cut = directory.resolve("chat_trunecated.json");
    Path chat = Files.exists(cut) ? cut : directory.resolve("chat.json");
    List<Conversation.Utterance> said = new ArrayList<>();
    Map<Integer, Conversation.Utterance> byId = new HashMap<>();
    Instant time = Instant.parse("2024-01-01T09:00:00Z");
    int session = 0;
    for (JsonNode batch : JSON.readTree(chat.toFile())) {
      session++;
      for (JsonNode turn : batch.path("turns")) {
        for (JsonNode message : turn) {
          String anchor = message.path("time_anchor").asText();
          time =
              ANCHOR.matcher(anchor).matches()
                  ? LocalDate.parse(anchor, DAY).atTime(9, 0).toInstant(ZoneOffset.UTC)
                  : time.plusSeconds(60);
          Conversation.Utterance utterance =
              new Conversation.Utterance(
                  said.size(),
                  session,
                  message.path("role").asText(),
                  PLAN.matcher(message.path("content").asText()).replaceFirst(""),
                  time);
          said.add(utterance);
          byId.putIfAbsent(message.path("id").asInt(), utterance);
        }
      }
    }
    Path questions = directory.resolve("probing_questions").resolve("probing_questions.json");
    JsonNode kinds = JSON.readTree(questions.toFile());
    return new Chat(
        new Conversation("chat-" + directory.getFileName(), said, questions(kinds, byId, ROLES)),
        questions(kinds, byId, Set.of("user")),
        questions(kinds, byId, Set.of("assistant")));
  }

  private static List<Conversation.Question> questions(
      JsonNode kinds, Map<Integer, Conversation.Utterance> byId, Set<String> roles) {
    List<Conversation.Question> questions = new ArrayList<>();
    for (JsonNode kind : kinds) {
      for (JsonNode asked : kind) {
        List<Conversation.Utterance> evidence =
            ids(asked.path("source_chat_ids")).stream()
                .map(byId::get)
                .filter(Objects::nonNull)
                .filter(said -> roles.contains(said.role()))
                .toList();
        if (!evidence.isEmpty()) {
          String question = asked.path("question").asText();
          questions.add(new Conversation.Question(0, question, "", evidence));
        }
      }
    }
    return questions;
  }

  /** The numbers of a tree, whose shape differs from one kind of question to the other. */
  private static Set<Integer> ids(JsonNode tree) {
    Set<Integer> ids = new LinkedHashSet<>();
    if (tree.isInt()) {
      ids.add(tree.asInt());
    }
    tree.forEach(inner -> ids.addAll(ids(inner)));
    return ids;
  }
}
