package io.memorygateway.format.answer;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.memorygateway.json.Json;
import io.memorygateway.json.MemberSearch;
import io.memorygateway.sse.SseEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the {@link AnswerSummary} of one answer, whole or streamed, in any of the three formats,
 * whose members have different names. Content is skipped and not held. For one thread.
 */
public final class AnswerSummaryReader {
  /** After the first events, an event is parsed only if it has one of these members. */
  private static final MemberSearch NOTABLE =
      new MemberSearch("finish_reason", "stop_reason", "message", "response");

  private static final Set<String> TEXTS = Set.of("id", "model", "stop_reason", "status");

  /** Status of a Responses answer that has not ended. */
  private static final Set<String> UNFINISHED = Set.of("in_progress", "queued");

  /** Events in which an id is searched for: some streams begin with a ping, or without an id. */
  private static final int FIRST_EVENTS = 8;

  private static final int MAX_LENGTH = 256;
  private static final int MAX_REASONS = 16;

  private int scanned;
  private @Nullable String id;
  private @Nullable String model;
  private final List<String> choiceReasons = new ArrayList<>();
  private @Nullable String stopReason;
  private @Nullable String incompleteReason;
  private @Nullable String status;

  /** Takes a whole answer. Never fails: what cannot be read is skipped. */
  public void read(byte[] json) {
    Json.readObject(json, 0, json.length, parser -> readAnswer(parser, true));
  }

  /** Takes the next event of a stream, whole or in pieces. Never fails either. */
  public void accept(SseEvent event) {
    if (!event.startsEvent()) {
      return;
    }
    byte[] data = event.dataArray();
    int start = event.dataStart();
    int end = event.dataEnd();
    boolean first = id == null && scanned++ < FIRST_EVENTS;
    if (first || NOTABLE.find(data, start, end)) {
      event.readData(parser -> readAnswer(parser, true));
    }
  }

  /** The summary of what was read so far. */
  public AnswerSummary summary() {
    if (!choiceReasons.isEmpty()) {
      return new AnswerSummary(id, model, choiceReasons);
    }
    String reason = stopReason != null ? stopReason : incompleteReason;
    String ended = reason != null ? reason : status;
    return new AnswerSummary(id, model, ended == null ? List.of() : List.of(ended));
  }

  /**
   * Reads an answer, or an event.
   *
   * @param outer whether the answer may be a member of it, as in the events of two formats
   */
  private void readAnswer(JsonParser parser, boolean outer) throws IOException {
    Json.readMembers(
        parser,
        name -> {
          JsonToken value = parser.currentToken();
          if (value == JsonToken.VALUE_STRING && TEXTS.contains(name)) {
            takeText(name, text(parser));
          } else if (name.equals("choices")) {
            Json.readObjects(parser, this::readChoice);
          } else if (value == JsonToken.START_OBJECT && name.equals("incomplete_details")) {
            incompleteReason = member(parser, "reason");
          } else if (outer && isAnswer(name)) {
            readAnswer(parser, false);
          }
        });
  }

  private static boolean isAnswer(String member) {
    return member.equals("message") || member.equals("response") || member.equals("delta");
  }

  private void takeText(String name, String text) {
    if (text.isEmpty()) {
      return;
    }
    switch (name) {
      case "id" -> id = text;
      case "model" -> model = text;
      case "stop_reason" -> stopReason = text;
      case "status" -> status = UNFINISHED.contains(text) ? null : text;
      default -> {}
    }
  }

  private void readChoice(JsonParser parser) throws IOException {
    String reason = member(parser, "finish_reason");
    if (reason != null && choiceReasons.size() < MAX_REASONS) {
      choiceReasons.add(reason);
    }
  }

  /** The text of a member of the object at the current token; reads to the end of the object. */
  private static @Nullable String member(JsonParser parser, String name) throws IOException {
    String found = null;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      boolean wanted = parser.currentName().equals(name);
      if (parser.nextToken() == JsonToken.VALUE_STRING && wanted) {
        found = text(parser);
      }
      parser.skipChildren();
    }
    return found;
  }

  private static String text(JsonParser parser) throws IOException {
    String text = parser.getText();
    return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH);
  }
}
