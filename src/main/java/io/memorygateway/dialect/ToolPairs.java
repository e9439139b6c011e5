package io.memorygateway.dialect;

import io.memorygateway.json.Json;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Brings stored tool calls and their results together, as all upstreams demand: the results come
 * right behind the model's run of messages that holds the calls (Responses has an item for each). A
 * call that has no result is closed with a short one of ours; a stored result without a call is
 * dropped. Where other messages came in between (two callers on one thread), the call moves down to
 * its results. The caller's own new messages stay as and where they are: what is wrong with them is
 * between the caller and the upstream.
 */
final class ToolPairs {
  static final String NO_RESULT = "No result was recorded.";

  private final List<Utterance> in;
  private final List<Utterance> out = new ArrayList<>();

  /** The call that a result answers, by the result; and where that call stands. */
  private final IdentityHashMap<Part.ToolResult, Part.ToolCall> answered = new IdentityHashMap<>();

  private final IdentityHashMap<Part.ToolCall, Part.ToolResult> results = new IdentityHashMap<>();
  private final IdentityHashMap<Part.ToolCall, Integer> callers = new IdentityHashMap<>();

  /** Results that come with this request. */
  private final Set<Part.ToolResult> fresh = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Index of a message with calls → index of the result before which it is emitted. */
  private final Map<Integer, Integer> waitsFor = new HashMap<>();

  /** Index of a message → start of the run of the model's stored messages that it belongs to. */
  private final int[] runs;

  private ToolPairs(List<Utterance> in) {
    this.in = in;
    this.runs = new int[in.size()];
    Set<String> ids = new HashSet<>();
    for (int at = 0; at < runs.length; at++) {
      boolean goesOn = at > 0 && isStoredOfModel(at - 1) && isStoredOfModel(at);
      goesOn = goesOn && !holdsResult(at - 1) && Collections.disjoint(ids, callIds(at));
      if (!goesOn) {
        ids.clear();
      }
      ids.addAll(callIds(at));
      runs[at] = goesOn ? runs[at - 1] : at;
    }
  }

  private boolean isStoredOfModel(int at) {
    return in.get(at).ofModel() && in.get(at).verbatim() == null;
  }

  private boolean holdsResult(int at) {
    return in.get(at).parts().stream().anyMatch(part -> part instanceof Part.ToolResult);
  }

  private List<String> callIds(int at) {
    return in.get(at).parts().stream()
        .filter(part -> part instanceof Part.ToolCall)
        .map(part -> ((Part.ToolCall) part).id())
        .toList();
  }

  static List<Utterance> mend(List<Utterance> messages) {
    if (messages.stream().noneMatch(Utterance::usesTools)) {
      return messages.stream()
          .filter(message -> message.verbatim() != null || !message.parts().isEmpty())
          .toList();
    }
    ToolPairs pairs = new ToolPairs(messages);
    pairs.match();
    pairs.emit();
    return pairs.out;
  }

  private void match() {
    Map<String, Part.ToolCall> open = new HashMap<>();
    for (int at = 0; at < in.size(); at++) {
      for (Part part : in.get(at).parts()) {
        if (part instanceof Part.ToolCall call) {
          open.put(call.id(), call);
          callers.put(call, runs[at]);
        } else if (part instanceof Part.ToolResult result) {
          Part.ToolCall call = open.remove(result.id());
          if (call != null) {
            answered.put(result, call);
            results.put(call, result);
            // The first result, or the first that comes with this request: those cannot move.
            int caller = place(call);
            Integer first = waitsFor.putIfAbsent(caller, at);
            if (in.get(at).verbatim() != null) {
              fresh.add(result);
              if (first != null && in.get(first).verbatim() == null) {
                waitsFor.put(caller, at);
              }
            }
          }
        }
      }
    }
  }

  private void emit() {
    for (int at = 0; at < in.size(); at++) {
      Utterance message = in.get(at);
      for (Part part : message.parts()) {
        if (part instanceof Part.ToolResult result) {
          Part.ToolCall call = answered.get(result);
          if (call != null && waitsFor.getOrDefault(place(call), -1) == at && place(call) != at) {
            emitWithResults(place(call));
          }
        }
      }
      if (message.verbatim() != null) {
        out.add(message);
      } else if (runs[at] == at && !isDeferred(at)) {
        emitWithResults(at);
      }
    }
  }

  private boolean isDeferred(int at) {
    return waitsFor.getOrDefault(at, at) > at;
  }

  private int place(Part.ToolCall call) {
    return callers.getOrDefault(call, -1);
  }

  /** The run that begins here, without results that stand in it, and then those of its calls. */
  private void emitWithResults(int run) {
    waitsFor.put(run, -1);
    if (in.get(run).verbatim() != null) {
      return;
    }
    List<Part> given = new ArrayList<>();
    for (int at = run; at < runs.length && runs[at] == run; at++) {
      List<Part> said = new ArrayList<>();
      for (Part part : in.get(at).parts()) {
        if (part instanceof Part.ToolCall call) {
          Part.ToolResult result = results.get(call);
          if (result == null) {
            given.add(closing(call));
          } else if (!fresh.contains(result)) {
            given.add(result);
          }
        }
        if (!(part instanceof Part.ToolResult)) {
          said.add(part);
        }
      }
      if (!said.isEmpty()) {
        out.add(in.get(at).withParts(said));
      }
    }
    if (!given.isEmpty()) {
      out.add(Utterance.of("tool", given));
    }
  }

  private static Part.ToolResult closing(Part.ToolCall call) {
    JsonValue text = JsonValue.of(Json.quote(NO_RESULT));
    return new Part.ToolResult(
        JsonValue.of("{}"),
        Shape.FOREIGN,
        call.id(),
        List.of(new Part.Text(text, Shape.PLAIN, NO_RESULT)),
        false);
  }
}
