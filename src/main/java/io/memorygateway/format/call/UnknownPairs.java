package io.memorygateway.format.call;

import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.ToolKind;
import io.memorygateway.format.content.ToolParts;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells by their ids which parts of types that are not those of a caller's tools belong together. A
 * part that names the id of an earlier one is its result: if a caller gave it, both become a {@link
 * Part.ToolCall} and its {@link Part.ToolResult}. What a provider runs itself, or asks to be
 * allowed, is left out of stored messages if the user went on without its result: providers refuse
 * either alone.
 */
final class UnknownPairs {
  private static final List<String> ANSWERED =
      List.of("call_id", "tool_use_id", "tool_call_id", "approval_request_id");
  private static final Set<String> HOSTED = Set.of("server_tool_use", "mcp_tool_use", "program");

  /**
   * A part that may have a result.
   *
   * @param member that has its id
   * @param words how often the user had spoken before it
   */
  private record Open(Part part, String member, int words) {
    boolean needsResult() {
      String type = part instanceof Part.Other ? type(part) : "";
      return HOSTED.contains(type) || type.equals("mcp_approval_request");
    }
  }

  private final Map<String, Open> open = new HashMap<>();

  /** What stands in place of a part; null for one that is left out of stored messages. */
  private final IdentityHashMap<Part, @Nullable Part> changed = new IdentityHashMap<>();

  /** Calls of the caller's tools, by the id of the provider's call from which they were made. */
  private final Map<String, List<Part>> programs = new HashMap<>();

  /** Ids of calls whose results the caller brings with this call. */
  private final Set<String> brought = new HashSet<>();

  private int words;

  private UnknownPairs() {}

  static List<Utterance> told(List<Utterance> messages) {
    UnknownPairs pairs = new UnknownPairs();
    messages.forEach(pairs::read);
    pairs.open.values().forEach(pairs::close);
    return pairs.changed.isEmpty() ? messages : messages.stream().map(pairs::changed).toList();
  }

  private void read(Utterance message) {
    boolean isOfUser = !message.ofModel() && !message.ofSystem();
    if (isOfUser && message.parts().stream().anyMatch(UnknownPairs::isSaid)) {
      words++;
    }
    for (Part part : message.parts()) {
      if (part instanceof Part.ToolCall call) {
        open(call.id(), call, "");
        JsonValue caller = call.source().get("caller");
        if (caller != null) {
          String id = caller.text("tool_id") + caller.text("caller_id");
          programs.computeIfAbsent(id, program -> new ArrayList<>()).add(call);
        }
      } else if (part instanceof Part.ToolResult result) {
        if (message.verbatim() != null) {
          brought.add(result.id());
        }
        Open call = open.remove(result.id());
        if (call != null && call.part instanceof Part.Other other) {
          changed.put(other, ToolParts.call(other.source(), kind(other, call.member, "")));
        }
      } else if (part instanceof Part.Other other && other.source().isObject()) {
        read(other, message.ofModel());
      }
    }
  }

  /** Whether the user says a part, be it beside results of tools: it ends the model's turn. */
  private static boolean isSaid(Part part) {
    return !(part instanceof Part.Other || part instanceof Part.ToolResult);
  }

  private void read(Part.Other part, boolean ofModel) {
    String member = null;
    for (String name : ANSWERED) {
      member = member == null && part.source().string(name) != null ? name : member;
    }
    Open call = member == null ? null : open.remove(part.source().text(member));
    boolean hosted = "tool_use_id".equals(member) && type(part).endsWith("_tool_result");
    if (call == null && !hosted) {
      String id = member == null ? "id" : member;
      open(part.source().text(id), part, id);
    } else if (ofModel && hosted && (call == null || call.words < words)) {
      changed.put(part, null);
    }
    if (call != null && member != null && !ofModel && !call.needsResult()) {
      changed.put(part, ToolParts.result(part.source(), kind(part, call.member, member)));
      if (call.part instanceof Part.Other other) {
        changed.put(other, ToolParts.call(other.source(), kind(other, call.member, member)));
      }
    } else if (call != null && hosted) {
      close(call);
    }
  }

  private static ToolKind kind(Part part, String callId, String resultId) {
    return new ToolKind(part.shape(), "", callId, "", resultId, "");
  }

  private void open(String id, Part part, String member) {
    Open before = id.isEmpty() ? null : open.put(id, new Open(part, member, words));
    if (before != null && before.needsResult()) {
      changed.put(before.part, null);
    }
  }

  /** Leaves out a call without a result, unless its turn still goes on. */
  private void close(Open call) {
    if (call.words < words && call.needsResult()) {
      changed.put(call.part, null);
      // What a program that the provider runs has called means nothing without it.
      programs.getOrDefault(call.part.source().text(call.member), List.of()).stream()
          .filter(of -> !(of instanceof Part.ToolCall made && brought.contains(made.id())))
          .forEach(of -> changed.put(of, null));
    }
  }

  private Utterance changed(Utterance message) {
    List<Part> parts = new ArrayList<>(message.parts().size());
    boolean fewer = false;
    boolean others = false;
    for (Part part : message.parts()) {
      Part now = changed.getOrDefault(part, part);
      boolean leftOut = now == null && message.verbatim() == null;
      fewer |= leftOut;
      others |= now != null && now != part;
      if (!leftOut) {
        parts.add(now == null ? part : now);
      }
    }
    return fewer
        ? message.withParts(parts)
        : others
            ? new Utterance(message.role(), parts, message.content(), message.verbatim())
            : message;
  }

  private static String type(Part part) {
    return part.source().text("type");
  }
}
