package io.memorygateway.format.translation;

import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.json.JsonValue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Puts signatures of calls, which a maker of Chat gave with them and a seal has carried, back onto
 * them. A signature belongs to the call with its id of the same answer; where that has got another
 * id, to the next call behind it.
 */
final class SignedCalls {
  /** Signatures of an answer by the ids of their calls. */
  private final Map<String, JsonValue> signatures = new HashMap<>();

  private final Set<String> ids = new HashSet<>();

  private SignedCalls() {}

  /** The messages, whose reasoning is in its maker's form, with signed calls. */
  static List<Utterance> in(List<Utterance> messages) {
    if (messages.stream().noneMatch(each -> each.parts().stream().anyMatch(SignedCalls::signs))) {
      return messages;
    }
    List<Utterance> all = new ArrayList<>(messages.size());
    int at = 0;
    while (at < messages.size()) {
      int from = at;
      while (at < messages.size() && messages.get(at).ofModel()) {
        at++;
      }
      all.addAll(new SignedCalls().answer(messages.subList(from, at)));
      if (at < messages.size()) {
        all.add(messages.get(at++));
      }
    }
    return all;
  }

  /**
   * The messages, in which signatures at the end of an answer, of calls that had begun when these
   * came, stand before its last call: reasoning with nothing behind it does not go up.
   */
  static List<Utterance> signedFirst(List<Utterance> messages) {
    List<Utterance> all = new ArrayList<>(messages.size());
    List<Utterance> late = new ArrayList<>();
    int call = -1;
    for (Utterance message : messages) {
      if (call >= 0 && isLate(message)) {
        late.add(message);
        continue;
      }
      all.addAll(message.ofModel() ? all.size() : Math.max(call, 0), late);
      late.clear();
      call = message.ofModel() ? call : -1;
      if (message.ofModel() && message.usesTools()) {
        call = all.size();
      }
      all.add(message);
    }
    all.addAll(Math.max(call, 0), late);
    return all;
  }

  /** Whether a message is sealed signatures of calls. */
  private static boolean isLate(Utterance message) {
    return message.ofModel()
        && message.verbatim() == null
        && !message.parts().isEmpty()
        && message.parts().stream()
            .allMatch(
                part ->
                    part instanceof Part.Reasoning reasoning
                        && Seal.allIn(reasoning).stream().anyMatch(seal -> signs(seal.part())));
  }

  private List<Utterance> answer(List<Utterance> answer) {
    for (Utterance message : answer) {
      for (Part part : message.parts()) {
        entries(part).forEach(entry -> signatures.put(entry.text("id"), entry));
        if (part instanceof Part.ToolCall call) {
          ids.add(call.id());
        }
      }
    }
    if (signatures.isEmpty()) {
      return answer;
    }
    Deque<JsonValue> renamed = new ArrayDeque<>();
    List<Utterance> signed = new ArrayList<>(answer.size());
    for (Utterance message : answer) {
      List<Part> parts = new ArrayList<>(message.parts().size());
      for (Part part : message.parts()) {
        entries(part).stream()
            .filter(entry -> !ids.contains(entry.text("id")))
            .forEach(renamed::add);
        parts.add(part instanceof Part.ToolCall call ? signed(call, renamed) : part);
      }
      signed.add(message.verbatim() == null ? message.withParts(parts) : message);
    }
    return signed;
  }

  private Part signed(Part.ToolCall call, Deque<JsonValue> renamed) {
    if (call.shape() == Shape.CHAT) {
      return call;
    }
    JsonValue entry = signatures.get(call.id());
    entry = entry == null ? renamed.poll() : entry;
    JsonValue signature = entry == null ? null : entry.get(Part.ToolCall.SIGNATURE);
    return signature == null ? call : call.signed(signature);
  }

  private static boolean signs(Part part) {
    return part instanceof Part.Reasoning
        && part.shape() == Shape.CHAT
        && part.source().get("tool_calls") != null;
  }

  /** The calls that a part has signatures of. */
  private static List<JsonValue> entries(Part part) {
    JsonValue calls = signs(part) ? part.source().get("tool_calls") : null;
    return calls == null ? List.of() : calls.items();
  }
}
