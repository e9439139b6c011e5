package io.memorygateway.format.answer;

import io.memorygateway.json.JsonValue;
import io.memorygateway.sse.SseEvent;
import org.jspecify.annotations.Nullable;

/** Classifies the events at the start of a streamed answer, in the three formats. */
public final class StartEvents {
  private StartEvents() {}

  public static StartEvent ofChat(SseEvent event) {
    if (event.dataStart() == event.dataEnd()) {
      return StartEvent.COMMENT;
    }
    if ("error".equals(event.name())) {
      return StartEvent.ERROR;
    }
    if (event.isDone()) {
      return StartEvent.END;
    }
    JsonValue chunk = event.json();
    if (chunk == null) {
      return StartEvent.EMPTY;
    }
    if (ChatChoice.error(chunk) != null) {
      return StartEvent.ERROR;
    }
    for (JsonValue choice : chunk.at("choices").items()) {
      if (isFailed(choice)) {
        return StartEvent.ERROR;
      }
      if (saysSomething(choice)) {
        return StartEvent.CONTENT;
      }
    }
    return StartEvent.EMPTY;
  }

  /** Whether a choice of Chat is the one that is stored, and reports an error. */
  public static boolean isFailed(JsonValue choice) {
    JsonValue error = choice.get("error");
    return ChatChoice.isFirst(choice)
        && (UpstreamError.isReported(error == null ? null : JsonValue.of(error.raw()))
            || ChatChoice.errorOf(choice) != null
            || ChatChoice.isFailed(choice.string("finish_reason")));
  }

  private static boolean saysSomething(JsonValue choice) {
    if (!choice.text("finish_reason").isEmpty() || !choice.text("text").isEmpty()) {
      return true;
    }
    JsonValue said = ChatChoice.piece(choice, false);
    return said != null && ChatChoice.says(said);
  }

  public static StartEvent ofMessages(SseEvent event) {
    if (event.dataStart() == event.dataEnd()) {
      return StartEvent.COMMENT;
    }
    return switch (EventType.of(event)) {
      case "message_start" -> ofMessage(member(event, "message"));
      case "ping", "content_block_stop", "" -> StartEvent.EMPTY;
      case "content_block_start" -> ofBlock(member(event, "content_block"));
      case "content_block_delta" -> ofDelta(member(event, "delta"));
      case "message_stop" -> StartEvent.END;
      case "error" -> StartEvent.ERROR;
      default -> StartEvent.CONTENT;
    };
  }

  /** The start of a message, which some servers send with what it says. */
  private static StartEvent ofMessage(@Nullable JsonValue message) {
    JsonValue content = message == null ? null : message.get("content");
    boolean says =
        content != null
            && (!content.text().isEmpty()
                || content.items().stream()
                    .anyMatch(
                        block ->
                            !block.text().isEmpty()
                                || (block.isObject() && ofBlock(block) == StartEvent.CONTENT)));
    return says ? StartEvent.CONTENT : StartEvent.EMPTY;
  }

  /** The start of a block: text and reasoning begin empty. */
  private static StartEvent ofBlock(@Nullable JsonValue block) {
    boolean empty =
        block == null
            || (block.text("type").equals("text") && block.text("text").isEmpty())
            || (block.text("type").equals("thinking") && block.text("thinking").isEmpty());
    return empty ? StartEvent.EMPTY : StartEvent.CONTENT;
  }

  private static StartEvent ofDelta(@Nullable JsonValue delta) {
    boolean empty =
        delta == null
            || delta.fields().stream()
                .allMatch(field -> field.name().equals("type") || JsonValue.isEmpty(field.value()));
    return empty ? StartEvent.EMPTY : StartEvent.CONTENT;
  }

  public static StartEvent ofResponses(SseEvent event) {
    if (event.dataStart() == event.dataEnd()) {
      return StartEvent.COMMENT;
    }
    return switch (EventType.of(event)) {
      case "response.created", "response.in_progress", "response.queued", "keepalive", "ping", "" ->
          StartEvent.EMPTY;
      case "response.output_item.added" -> ofItem(member(event, "item"));
      case "response.content_part.added", "response.reasoning_summary_part.added" ->
          ofPart(member(event, "part"));
      case "response.failed", "response.cancelled", "error" -> StartEvent.ERROR;
      default -> StartEvent.CONTENT;
    };
  }

  /** The start of an item: a message and reasoning begin empty, a call has its name. */
  private static StartEvent ofItem(@Nullable JsonValue item) {
    if (item == null) {
      return StartEvent.EMPTY;
    }
    boolean empty =
        switch (item.text("type")) {
          case "message" -> JsonValue.isEmpty(item.get("content"));
          case "reasoning" ->
              JsonValue.isEmpty(item.get("content"))
                  && JsonValue.isEmpty(item.get("summary"))
                  && JsonValue.isEmpty(item.get("encrypted_content"));
          default -> false;
        };
    return empty ? StartEvent.EMPTY : StartEvent.CONTENT;
  }

  private static StartEvent ofPart(@Nullable JsonValue part) {
    boolean empty = part == null || (part.text("text").isEmpty() && part.text("refusal").isEmpty());
    return empty ? StartEvent.EMPTY : StartEvent.CONTENT;
  }

  private static @Nullable JsonValue member(SseEvent event, String name) {
    JsonValue root = event.json();
    return root == null ? null : root.get(name);
  }
}
