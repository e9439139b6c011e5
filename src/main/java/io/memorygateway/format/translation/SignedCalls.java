package io.memorygateway.format.translation;

import io.memorygateway.format.content.Part;
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
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

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
    return messages.stream().noneMatch(each -> each.parts().stream().anyMatch(SignedCalls::signs))
        ? messages
        : byAnswer(messages, answer -> new SignedCalls().answer(answer));
  }

  private static List<Utterance> byAnswer(
      List<Utterance> messages, UnaryOperator<List<Utterance>> changed) {
    List<Utterance> all = new ArrayList<>(messages.size());
    int at = 0;
    while (at < messages.size()) {
      int from = at;
      while (at < messages.size() && messages.get(at).ofModel()) {
        at++;
      }
      all.addAll(changed.apply(messages.subList(from, at)));
      if (at < messages.size()) {
        all.add(messages.get(at++));
      }
    }
    return all;
  }

  /**
   * The messages, in which sealed reasoning of Chat that an answer ends with stands before its last
   * call, or before what it says last if it has none: a signature may come when all it belongs to
   * has been told, and reasoning with nothing behind it does not go up.
   */
  static List<Utterance> lateFirst(List<Utterance> messages) {
    return byAnswer(
        messages,
        answer ->
            lateFirst(answer, SignedCalls::isLate, Utterance::usesTools).stream()
                .map(
                    message ->
                        message.verbatim() != null
                            ? message
                            : message.withParts(
                                lateFirst(
                                    message.parts(),
                                    SignedCalls::isSealed,
                                    part -> part instanceof Part.ToolCall)))
                .toList());
  }

  private static <T> List<T> lateFirst(List<T> all, Predicate<T> late, Predicate<T> called) {
    int end = all.size();
    while (end > 0 && late.test(all.get(end - 1))) {
      end--;
    }
    if (end == 0 || end == all.size()) {
      return all;
    }
    int place = end - 1;
    while (place >= 0 && !called.test(all.get(place))) {
      place--;
    }
    place = place < 0 ? end - 1 : place;
    List<T> ordered = new ArrayList<>(all.subList(0, place));
    ordered.addAll(all.subList(end, all.size()));
    ordered.addAll(all.subList(place, end));
    return ordered;
  }

  /** Whether a message has nothing but such reasoning. */
  private static boolean isLate(Utterance message) {
    return message.verbatim() == null
        && !message.parts().isEmpty()
        && message.parts().stream().allMatch(SignedCalls::isSealed);
  }

  private static boolean isSealed(Part part) {
    return part instanceof Part.Reasoning reasoning
        && Seal.allIn(reasoning).stream().anyMatch(seal -> seal.format().reasonsBesideContent());
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
    if (call.shape().reasonsBesideContent()) {
      return call;
    }
    JsonValue entry = signatures.get(call.id());
    entry = entry == null ? renamed.poll() : entry;
    JsonValue signature = entry == null ? null : entry.get(Part.ToolCall.SIGNATURE);
    return signature == null ? call : call.signed(signature);
  }

  private static boolean signs(Part part) {
    return part instanceof Part.Reasoning
        && part.shape().reasonsBesideContent()
        && part.source().get("tool_calls") != null;
  }

  /** The calls that a part has signatures of. */
  private static List<JsonValue> entries(Part part) {
    return signs(part) ? part.source().at("tool_calls").items() : List.of();
  }
}
