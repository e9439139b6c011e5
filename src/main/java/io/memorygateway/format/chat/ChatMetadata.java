package io.memorygateway.format.chat;

import io.memorygateway.format.answer.AnswerMetadata;
import io.memorygateway.format.answer.Merged;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Collects the members of a Chat Completions answer besides its message: ids, finish reason,
 * logprobs, usage.
 */
final class ChatMetadata {
  private static final Set<String> REBUILT_MEMBERS = Set.of("object", "choices", "usage");

  private @Nullable List<String> head;
  private String finishReason = "null";
  private final Merged.Room room;
  private ChatLogprobs logprobs;
  private boolean blank;
  private @Nullable String usage;

  ChatMetadata(Merged.Room room) {
    this.room = room;
    this.logprobs = new ChatLogprobs(room);
  }

  /** Takes a whole answer or the next chunk of a streamed one. */
  void take(JsonValue answer) {
    if (head == null) {
      head = AnswerMetadata.members(answer, REBUILT_MEMBERS);
    }
    JsonValue reported = answer.get("usage");
    if (reported != null && reported.isObject()) {
      usage = reported.raw();
    }
  }

  void takeChoice(JsonValue choice) {
    JsonValue reason = choice.get("finish_reason");
    if (reason != null) {
      finishReason = reason.raw();
    }
    logprobs.take(choice.get("logprobs"));
    JsonValue message = choice.get("message");
    blank = message != null && "".equals(message.string("content"));
  }

  /** Leaves the choice that was taken so far for another one. */
  void leaveChoice() {
    finishReason = "null";
    logprobs = new ChatLogprobs(room);
  }

  String json() {
    List<String> members = new ArrayList<>(head == null ? List.of() : head);
    String odds = logprobs.json();
    members.add(
        "\"choices\":[{\"index\":0,\"finish_reason\":%s%s%s}]"
            .formatted(
                finishReason,
                odds == null ? "" : ",\"logprobs\":" + odds,
                blank ? ",\"message\":{\"content\":\"\"}" : ""));
    if (usage != null) {
      members.add("\"usage\":" + usage);
    }
    return AnswerMetadata.object(members);
  }
}
