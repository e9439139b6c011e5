package io.memorygateway.format.answer;

import io.memorygateway.format.content.Part;
import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A choice of a Chat answer, in a chunk of it or in the whole. */
public final class ChatChoice {
  /** Reasons of answers that did not come to their end: also of vLLM, DeepSeek, Gemini and Z.ai. */
  private static final Set<String> FAILED =
      Set.of(
          "error",
          "abort",
          "insufficient_system_resource",
          "malformed_function_call",
          "function_call_filter", // Gemini adds which way the call was wrong.
          "network_error");

  /** What a chunk, or a choice of it, may say beside its head and a delta. */
  private static final Set<String> BESIDE =
      Set.of(
          "error",
          "errors",
          "detail",
          "x_groq",
          "usage",
          "service_tier",
          "logprobs",
          "message",
          "finish_reason",
          "stop_reason",
          "matched_stop");

  private static final JsonValue NONE = JsonValue.of("{}");

  private ChatChoice() {}

  /**
   * The error that an answer or a chunk reports, also in Groq's place, or by itself, as of vLLM and
   * FastAPI; null if it reports none.
   */
  public static @Nullable JsonValue error(JsonValue answer) {
    JsonValue error = reported(answer.get("error"), answer.at("x_groq").get("error"));
    boolean isError =
        error == null
            && answer.at("choices").items().isEmpty()
            && (answer.text("object").equals("error") || UpstreamError.isReportedBy(answer));
    return isError ? UpstreamError.of(answer) : error;
  }

  /** The error that a choice reports, also in its delta; null if it reports none. */
  public static @Nullable JsonValue errorOf(JsonValue choice) {
    return reported(choice.get("error"), choice.at("delta").get("error"));
  }

  private static @Nullable JsonValue reported(
      @Nullable JsonValue first, @Nullable JsonValue second) {
    return UpstreamError.isReported(first)
        ? first
        : UpstreamError.isReported(second) ? second : null;
  }

  /** The word of a finish reason in small letters, without what some servers add to it. */
  public static String reason(@Nullable String finishReason) {
    String reason = finishReason == null ? "" : finishReason.toLowerCase(Locale.ROOT);
    int colon = reason.indexOf(':');
    return colon < 0 ? reason : reason.substring(0, colon);
  }

  /** Whether an answer with this finish reason did not come to its end. */
  public static boolean isFailed(@Nullable String finishReason) {
    return FAILED.contains(reason(finishReason));
  }

  /** Whether it is the one that is stored and translated: the first, or one without an index. */
  public static boolean isFirst(JsonValue choice) {
    return indexOf(choice) == 0;
  }

  /** Its index; 0 if it is missing or invalid. */
  public static int indexOf(JsonValue choice) {
    return Math.max(0, choice.index("index"));
  }

  /**
   * The choice that is stored and translated of several: the first by its index, else the first of
   * those that are there; an empty object without choices.
   */
  public static JsonValue first(JsonValue answer) {
    JsonValue other = NONE;
    for (JsonValue choice : answer.at("choices").items()) {
      if (choice.isObject() && isFirst(choice)) {
        return choice;
      }
      other = choice.isObject() && other == NONE ? choice : other;
    }
    return other;
  }

  /**
   * The index of the choice that is told of a stream.
   *
   * @param before that which was known before this chunk; negative if none
   */
  public static int taken(JsonValue chunk, int before) {
    JsonValue first = before == 0 ? NONE : first(chunk);
    boolean better = !first.fields().isEmpty() && (before < 0 || isFirst(first));
    return better ? indexOf(first) : before;
  }

  /**
   * What it says: its delta, or the whole message that some servers send in place of all deltas.
   *
   * @param begun whether a delta before has said something
   */
  public static @Nullable JsonValue piece(JsonValue choice, boolean begun) {
    JsonValue delta = choice.get("delta");
    JsonValue message = begun ? null : choice.get("message");
    JsonValue piece = message == null || (delta != null && says(delta)) ? delta : message;
    return piece == null ? null : listed(piece);
  }

  /** A piece with lists of parts and of calls, where some servers send one alone, or a text. */
  private static JsonValue listed(JsonValue piece) {
    JsonValue calls = piece.get("tool_calls");
    JsonValue content = piece.get("content");
    JsonValue listed =
        calls != null && calls.isObject() && !JsonValue.isEmpty(calls)
            ? piece.with("tool_calls", "[" + calls.raw() + "]")
            : piece;
    boolean one = content != null && content.isObject() && content.get("parts") == null;
    if (content == null || !(content.isArray() || one) || JsonValue.isEmpty(content)) {
      return listed;
    }
    List<JsonValue> parts = one ? List.of(content) : content.items();
    if (!one && parts.stream().noneMatch(JsonValue::isString)) {
      return listed;
    }
    return listed.with(
        "content",
        parts.stream()
            .map(part -> part.isString() ? Part.textPart("text", part.raw()) : part.raw())
            .collect(Collectors.joining(",", "[", "]")));
  }

  /** Whether a chunk, or a choice of it, says any of what most do not: more than a delta. */
  public static boolean saysMore(JsonValue part) {
    for (JsonValue.Field field : part.fields()) {
      if (!field.value().isNull() && BESIDE.contains(field.name())) {
        return true;
      }
    }
    return false;
  }

  /** Whether a delta or message says more than its role. */
  public static boolean says(JsonValue piece) {
    for (JsonValue.Field field : piece.fields()) {
      if (!field.name().equals("role") && !JsonValue.isEmpty(field.value())) {
        return true;
      }
    }
    return false;
  }
}
