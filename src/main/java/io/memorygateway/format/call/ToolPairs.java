package io.memorygateway.format.call;

import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.ToolKind;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Moves stored tool calls and their results together, as all upstreams require: the results come
 * directly after the model's run of messages that has the calls (Responses has an item for each). A
 * call without a result gets a short one written here, in the form of its kind, or is left out if
 * there can be none; a stored result without a call is dropped. If other messages came in between
 * (two callers on one thread), the call moves to its results. The caller's own new messages are not
 * changed or moved: any fault in them is reported by the upstream.
 */
final class ToolPairs {
  static final String NO_RESULT = "No result was recorded.";

  private final List<Utterance> in;
  private final List<Utterance> out = new ArrayList<>();

  /** Result → the call that it answers. */
  private final IdentityHashMap<Part.ToolResult, Part.ToolCall> answered = new IdentityHashMap<>();

  private final IdentityHashMap<Part.ToolCall, Part.ToolResult> results = new IdentityHashMap<>();
  private final IdentityHashMap<Part.ToolCall, Integer> callers = new IdentityHashMap<>();

  /** Result → how many stand before it. */
  private final IdentityHashMap<Part.ToolResult, Integer> places = new IdentityHashMap<>();

  /** Results that are part of this request. */
  private final Set<Part.ToolResult> fresh = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Index of a message with calls → index of the result before which it is emitted. */
  private final Map<Integer, Integer> emittedBefore = new HashMap<>();

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
      for (Part part : in.get(at).parts()) {
        if (part instanceof Part.ToolResult result) {
          places.put(result, places.size());
        }
      }
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
        .filter(id -> !id.isEmpty())
        .toList();
  }

  static List<Utterance> repair(List<Utterance> given) {
    return repair(given, result -> {});
  }

  /**
   * Repairs messages.
   *
   * @param dropped takes the results without a call
   */
  static List<Utterance> repair(List<Utterance> given, Consumer<Part.ToolResult> dropped) {
    List<Utterance> messages = UnknownPairs.told(given);
    boolean pairs = false;
    List<Utterance> all = new ArrayList<>(messages.size());
    for (Utterance message : messages) {
      pairs |= message.usesTools();
      if (message.verbatim() != null || !message.parts().isEmpty()) {
        all.add(message);
      }
    }
    return pairs ? repaired(messages, dropped) : all;
  }

  private static List<Utterance> repaired(
      List<Utterance> messages, Consumer<Part.ToolResult> dropped) {
    ToolPairs pairs = new ToolPairs(messages);
    pairs.match(true);
    // What a result names is not taken by one that names nothing and comes before it.
    pairs.match(false);
    pairs.place();
    pairs.emit();
    pairs.dropped().forEach(dropped);
    return pairs.out;
  }

  private List<Part.ToolResult> dropped() {
    List<Part.ToolResult> dropped = new ArrayList<>();
    for (Utterance message : in) {
      for (Part part : message.parts()) {
        if (part instanceof Part.ToolResult result
            && message.verbatim() == null
            && !answered.containsKey(result)) {
          dropped.add(result);
        }
      }
    }
    return dropped;
  }

  /**
   * Finds the calls of results.
   *
   * @param named whether of those that have an id, or of those that have none
   */
  private void match(boolean named) {
    // Of calls in a row with the same id, the first is answered first.
    Map<String, Deque<Part.ToolCall>> open = new HashMap<>();
    Deque<Part.ToolCall> last = new ArrayDeque<>();
    int lastRun = -1;
    Set<String> called = new HashSet<>();
    for (int at = 0; at < in.size(); at++) {
      if (!in.get(at).ofModel()) {
        called.clear();
      }
      for (Part part : in.get(at).parts()) {
        if (part instanceof Part.ToolCall call) {
          if (called.add(call.id())) {
            open.put(call.id(), new ArrayDeque<>());
          }
          open.getOrDefault(call.id(), new ArrayDeque<>()).add(call);
          callers.put(call, runs[at]);
          if (runs[at] != lastRun) {
            lastRun = runs[at];
            last.clear();
          }
          last.add(call);
        } else if (part instanceof Part.ToolResult result) {
          called.clear();
          if (result.id().isEmpty() == named) {
            continue;
          }
          Part.ToolCall call =
              named ? open.getOrDefault(result.id(), new ArrayDeque<>()).poll() : last.poll();
          while (!named && results.containsKey(call)) {
            call = last.poll();
          }
          if (call != null) {
            answered.put(result, call);
            results.put(call, result);
          }
        }
      }
    }
  }

  /** Decides before which of its results each run of calls is emitted. */
  private void place() {
    for (int at = 0; at < in.size(); at++) {
      for (Part part : in.get(at).parts()) {
        Part.ToolCall call = part instanceof Part.ToolResult result ? answered.get(result) : null;
        if (call != null) {
          // The first result, or the first that is part of this request: those cannot move.
          int caller = indexOf(call);
          Integer first = emittedBefore.putIfAbsent(caller, at);
          if (in.get(at).verbatim() != null) {
            fresh.add((Part.ToolResult) part);
            if (first != null && in.get(first).verbatim() == null) {
              emittedBefore.put(caller, at);
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
          if (call != null
              && emittedBefore.getOrDefault(indexOf(call), -1) == at
              && indexOf(call) != at) {
            emitWithResults(indexOf(call));
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
    return emittedBefore.getOrDefault(at, at) > at;
  }

  private int indexOf(Part.ToolCall call) {
    return callers.getOrDefault(call, -1);
  }

  /**
   * Emits the run that begins here, without results inside it, and then the results of its calls in
   * their own order, in which they went up when they were new; those that are made here come first,
   * as before new ones.
   */
  private void emitWithResults(int run) {
    emittedBefore.put(run, -1);
    if (in.get(run).verbatim() != null) {
      return;
    }
    Map<Integer, Part> given = new TreeMap<>();
    for (int at = run; at < runs.length && runs[at] == run; at++) {
      List<Part> rest = new ArrayList<>();
      for (Part part : in.get(at).parts()) {
        if (part instanceof Part.ToolCall call) {
          Part.ToolResult result = results.get(call);
          boolean isFresh = result != null && fresh.contains(result);
          Part.ToolResult own = isFresh ? result : answer(call, result);
          if (own == null) {
            continue;
          } else if (!isFresh) {
            given.put(places.getOrDefault(result, given.size() - Integer.MAX_VALUE), own);
          }
        }
        if (!(part instanceof Part.ToolResult)) {
          rest.add(part);
        }
      }
      if (!rest.isEmpty()) {
        out.add(in.get(at).withParts(rest));
      }
    }
    if (!given.isEmpty()) {
      out.add(Utterance.of("tool", List.copyOf(given.values())));
    }
  }

  /**
   * The result of a call, in the form that its endpoint takes for a call of its kind.
   *
   * @param given the stored result; null if there is none
   * @return null if there is none that would be taken
   */
  private static Part.@Nullable ToolResult answer(
      Part.ToolCall call, Part.@Nullable ToolResult given) {
    ToolKind kind = call.kind();
    if (kind.equals(ToolKind.FUNCTION)) {
      return function(call, given);
    }
    String members = kind.answer();
    boolean anyForm = "".equals(members);
    if (given != null && (anyForm || given.shape() == kind.shape())) {
      return given.id().isEmpty() ? given.withId(call.id()) : given;
    }
    if (members == null) {
      return null;
    }
    String text = given == null ? NO_RESULT : given.text();
    String id = JsonWriter.quote(call.id());
    String made =
        "{\"type\":\"%s\",\"%s\":%s,%s}"
            .formatted(
                kind.result(), kind.resultId(), id, members.replace("$", JsonWriter.quote(text)));
    return new Part.ToolResult(
        JsonValue.of(anyForm ? "{}" : made),
        anyForm ? ToolKind.FOREIGN : kind,
        call.id(),
        given == null ? List.of(Part.Text.of(text)) : given.content(),
        given != null && given.error());
  }

  /** The result of a function as its message, which has a name in the place of an id. */
  private static Part.ToolResult function(Part.ToolCall call, Part.@Nullable ToolResult given) {
    String text = given == null ? NO_RESULT : given.text();
    JsonValue own = given == null || given.shape() != call.shape() ? null : given.source();
    boolean named = own != null && own.string("name") != null;
    String members =
        own == null
            ? "\"content\":" + JsonWriter.quote(text)
            : own.rawMembers(
                name -> !name.equals("tool_call_id") && (named || !name.equals("name")));
    String name = named ? "" : "\"name\":" + JsonWriter.quote(call.name());
    String comma = named || members.isEmpty() ? "" : ",";
    return new Part.ToolResult(
        JsonValue.of("{" + name + comma + members + "}"),
        ToolKind.FUNCTION,
        "",
        given == null ? List.of(Part.Text.of(text)) : given.content(),
        given != null && given.error());
  }
}
