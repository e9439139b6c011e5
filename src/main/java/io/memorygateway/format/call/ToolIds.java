package io.memorygateway.format.call;

import io.memorygateway.format.content.CallArguments;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.ToolKind;
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
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Assigns ids to tool calls that the upstream accepts: short enough, of the characters it allows,
 * all different. A valid id is unchanged. An invalid one is replaced by the same id in every call,
 * in the call and in its results. So are names that a model made up, of stored calls.
 */
public final class ToolIds {
  private static final int NINE = 9;

  private final int maxLength;
  private final Set<String> used = new HashSet<>();

  /** By id: what its last row of calls has for it; several, if calls there are alike. */
  private final Map<String, Deque<String>> current = new HashMap<>();

  /** The ids of the row of calls, to which any other message or a result is the end. */
  private final Set<String> called = new HashSet<>();

  /** By id: the next number that may be free. All numbers before are taken. */
  private final Map<String, Integer> numbers = new HashMap<>();

  private final boolean anyCharacter;
  private final int maxName;
  private final boolean nine;
  private @Nullable Set<String> declared;

  /** An assignment for a target of which only is known what all take of names. */
  public ToolIds(int maxLength, boolean anyCharacter) {
    this(maxLength, anyCharacter, CallArguments.MAX_NAME);
  }

  /**
   * An assignment for one request.
   *
   * @param maxLength characters that the upstream accepts
   * @param anyCharacter whether it accepts more than ASCII letters, digits, {@code _} and {@code -}
   * @param maxName characters that it accepts of a name
   */
  public ToolIds(int maxLength, boolean anyCharacter, int maxName) {
    this(maxLength, anyCharacter, maxName, false);
  }

  private ToolIds(int maxLength, boolean anyCharacter, int maxName, boolean nine) {
    this.maxLength = maxLength;
    this.anyCharacter = anyCharacter;
    this.maxName = maxName;
    this.nine = nine;
  }

  /** An assignment for one request to a model of Mistral: ids of nine letters and digits. */
  public static ToolIds ofMistral() {
    return new ToolIds(NINE, false, CallArguments.MAX_NAME, true);
  }

  /**
   * Assigns the ids of all calls and results.
   *
   * @param messages with the results behind their calls, as {@link ToolPairs} orders them
   * @param tools tells the names of the call's own tools, which the upstream takes or refuses as
   *     they are; asked once, and only if a name does not fit
   */
  List<Utterance> assign(List<Utterance> messages, Supplier<Set<String>> tools) {
    List<Utterance> assigned = new ArrayList<>(messages.size());
    for (Utterance message : messages) {
      if (!message.ofModel()) {
        called.clear();
      }
      if (!message.usesTools()) {
        assigned.add(message);
        continue;
      }
      List<Part> parts = new ArrayList<>(message.parts().size());
      for (Part part : message.parts()) {
        parts.add(assign(part, message.verbatim() == null ? tools : null));
      }
      assigned.add(parts.equals(message.parts()) ? message : renamed(message, parts));
    }
    return assigned;
  }

  /** The message with only the ids changed, if it has the format of an endpoint. */
  private static Utterance renamed(Utterance message, List<Part> parts) {
    JsonValue content = message.content();
    JsonValue newContent = null;
    if (content != null && content.get("tool_calls") != null) {
      newContent = content.with("tool_calls", "[" + json(parts, true) + "]");
    } else if (content != null && content.items().size() == parts.size()) {
      newContent = JsonValue.of("[" + json(parts, false) + "]");
    } else if (content != null && content.isObject() && parts.size() == 1) {
      newContent = parts.get(0).source();
    }
    return new Utterance(message.role(), parts, newContent, null);
  }

  private static String json(List<Part> parts, boolean onlyCalls) {
    return parts.stream()
        .filter(part -> !onlyCalls || part instanceof Part.ToolCall)
        .map(part -> part.source().raw())
        .collect(Collectors.joining(","));
  }

  private Set<String> declared(Supplier<Set<String>> tools) {
    Set<String> known = declared;
    if (known == null) {
      known = tools.get();
      declared = known;
    }
    return known;
  }

  private Part assign(Part part, @Nullable Supplier<Set<String>> tools) {
    if (anyCharacter
        && part instanceof Part.ToolCall call
        && call.kind().equals(ToolKind.FUNCTION)) {
      current.remove("");
      return part; // Chat takes it as it is, without an id.
    }
    if (part instanceof Part.ToolCall call) {
      String name = call.name();
      String fit = tools == null ? name : CallArguments.fit(name, maxName);
      if (tools != null && !fit.equals(name) && !declared(tools).contains(name)) {
        name = fit;
      }
      String id = call.id();
      if (called.add(id)) {
        current.put(id, new ArrayDeque<>());
      }
      String given = fit(id);
      while (!used.add(given)) {
        given = fit(id + "_" + (numbers.merge(id, 1, Integer::sum) + 1));
      }
      current.getOrDefault(id, new ArrayDeque<>()).add(given);
      return given.equals(id) && name.equals(call.name()) ? call : call.with(given, name);
    }
    if (part instanceof Part.ToolResult result) {
      called.clear();
      Deque<String> calls = current.getOrDefault(result.id(), new ArrayDeque<>());
      String called = calls.size() > 1 ? calls.poll() : calls.peek();
      String given = called == null ? result.id() : called;
      return given.equals(result.id()) ? result : result.withId(given);
    }
    return part;
  }

  private String fit(String id) {
    boolean fits = !id.isEmpty() && id.length() <= maxLength && (!nine || id.length() == NINE);
    StringBuilder allowed = new StringBuilder(id.length());
    for (int i = 0; i < id.length(); i++) {
      char c = id.charAt(i);
      boolean plain =
          anyCharacter
              || (c < 128 && (Character.isLetterOrDigit(c) || (!nine && (c == '_' || c == '-'))));
      allowed.append(plain ? c : '_');
      fits &= plain;
    }
    if (fits) {
      return id;
    }
    if (nine) {
      String digits = "0".repeat(NINE) + Long.toString(hash(id) >>> 1, Character.MAX_RADIX);
      return digits.substring(digits.length() - NINE);
    }
    // The hash distinguishes ids that are equal once they are cut.
    String hash = "_" + Long.toHexString(hash(id));
    allowed.setLength(Math.min(allowed.length(), maxLength - hash.length()));
    return "call".repeat(allowed.isEmpty() ? 1 : 0) + allowed + hash;
  }

  /** FNV-1a, 64 bits. */
  private static long hash(String id) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < id.length(); i++) {
      hash = (hash ^ id.charAt(i)) * 0x100000001b3L;
    }
    return hash;
  }
}
