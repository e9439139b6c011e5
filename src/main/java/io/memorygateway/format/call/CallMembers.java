package io.memorygateway.format.call;

import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads members of calls that say how much they may need. */
public final class CallMembers {
  /** No provider takes as large a limit; products of this and of what else is bounded are longs. */
  private static final double MAX_NUMBER = 1e10;

  private static final int MAX_DIGITS = 100;

  /** No call asks for advice as often. */
  private static final long MAX_ADVICE = 100;

  /** As many tokens as the largest budget has; sums of a few, and 200 times as many, are longs. */
  private static final long MOST = 1_000_000_000_000_000L;

  private CallMembers() {}

  /** Tokens of what the provider does beside the answer. */
  public record Passes(long read, long written) {
    public static final Passes NONE = new Passes(0, 0);
  }

  /**
   * What the provider may read and write beside the answer: an advisor reads all that the call has
   * come to, and the model then reads it again with the advice; a compaction reads the input.
   *
   * @param members of the call, read whole
   * @param input tokens at most, as is the output
   * @param assumed output of a pass without a limit
   */
  public static Passes passes(JsonValue members, long input, long output, long assumed) {
    long read = 0;
    long written = 0;
    for (JsonValue tool : tools(members)) {
      if (isAdvisor(tool.text("type"))) {
        long uses = Math.max(1, Math.min(MAX_ADVICE, number(tool, "max_uses")));
        long limit = number(tool, "max_tokens");
        long advice = uses * (limit < 0 ? assumed : limit);
        read = Math.min(MOST, read + 2 * uses * Math.min(MOST, input + output + advice));
        written = Math.min(MOST, written + advice);
      }
    }
    JsonValue management = members.get("context_management");
    JsonValue edits = management == null ? null : management.get("edits");
    for (JsonValue edit : items(edits)) {
      if (edit.text("type").startsWith("compact")) {
        read = Math.min(MOST, read + input);
        written = Math.min(MOST, written + assumed);
      }
    }
    return new Passes(read, written);
  }

  /** All tools of a call, those that its conversation brings too. */
  public static List<JsonValue> tools(JsonValue members) {
    return Stream.concat(items(members.get("tools")).stream(), BroughtTools.in(members).stream())
        .toList();
  }

  /** Whether a tool of this type asks another model. */
  static boolean isAdvisor(String type) {
    return type.contains("advisor");
  }

  /** The items of a list; none of anything else. */
  public static List<JsonValue> items(@Nullable JsonValue list) {
    return list == null ? List.of() : list.items();
  }

  /**
   * A number from 0 on, as lenient servers read it: a fraction counts whole, and a text that is one
   * as well; -1 if the member is none.
   */
  public static long number(@Nullable JsonValue object, String name) {
    JsonValue value = object == null ? null : object.get(name);
    if (value == null || value.length() > MAX_DIGITS) {
      return -1;
    }
    try {
      double number = Double.parseDouble(value.isString() ? value.text() : value.raw());
      return number >= 0 ? (long) Math.min(Math.ceil(number), MAX_NUMBER) : -1;
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
