package io.memorygateway.format.chat;

import io.memorygateway.format.answer.Merged;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What of an answer only its maker reads, put together from the pieces of a stream: its reasoning,
 * and the signatures of its text and its calls.
 */
final class ChatSeals {
  private final String maker;
  private Merged thought = empty();
  private Merged signature = empty();
  private final Map<ChatStreamedCall, Merged> calls = new LinkedHashMap<>();

  ChatSeals(String maker) {
    this.maker = maker;
  }

  private static Merged empty() {
    return new Merged((characters, values) -> true);
  }

  /** Takes the reasoning among the members of a delta. */
  void think(JsonValue delta) {
    for (JsonValue.Field field : delta.fields()) {
      if (ChatReasoning.is(field.name()) && ChatReasoning.says(field.value())) {
        thought.addMember(field.name(), field.value());
      }
    }
  }

  /** Takes a part of a content that is reasoning. */
  void thinkPart(JsonValue part) {
    thought.addMember(ChatReasoning.PARTS, JsonValue.of("[" + part.raw() + "]"));
  }

  /** The seal of the reasoning that has come since the last one; null if there is none. */
  @Nullable Seal thought() {
    Seal seal = thought.isEmpty() ? null : seal(thought.json());
    thought = empty();
    return seal;
  }

  /** Takes the signature of a text that a delta has. */
  void sign(JsonValue delta) {
    JsonValue value = ChatReasoning.signature(delta);
    if (value != null) {
      signature.addMember(Part.ToolCall.SIGNATURE, value);
    }
  }

  /** The same of such signatures. */
  @Nullable Seal signature() {
    Seal seal = signature.isEmpty() ? null : seal(signature.json());
    signature = empty();
    return seal;
  }

  /** Takes the signature that a piece of a call has. */
  void sign(ChatStreamedCall call, JsonValue piece) {
    JsonValue value = ChatReasoning.signature(piece);
    if (value != null) {
      calls.computeIfAbsent(call, first -> empty()).add(value);
    }
  }

  /** Calls whose signatures have not been asked for. */
  List<ChatStreamedCall> signed() {
    return List.copyOf(calls.keySet());
  }

  /** The seal of the signature of a call that has begun; null if it has none. */
  @Nullable Seal signature(ChatStreamedCall call) {
    Merged own = calls.remove(call);
    return own == null
        ? null
        : seal(
            "{\"tool_calls\":["
                + new JsonObject().string("id", call.told).raw(Part.ToolCall.SIGNATURE, own.json())
                + "]}");
  }

  private Seal seal(String members) {
    return new Seal(maker, Shape.CHAT, members);
  }
}
