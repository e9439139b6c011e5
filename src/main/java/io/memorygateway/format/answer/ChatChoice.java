package io.memorygateway.format.answer;

import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.Locale;
import java.util.Set;
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

  private ChatChoice() {}

  /** The error that an answer or a chunk reports, also in Groq's place; null if it reports none. */
  public static @Nullable JsonValue error(JsonValue answer) {
    JsonValue error = answer.get("error");
    JsonValue its = answer.at("x_groq").get("error");
    return UpstreamError.isReported(error) ? error : UpstreamError.isReported(its) ? its : null;
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
    List<JsonValue> all =
        answer.at("choices").items().stream().filter(JsonValue::isObject).toList();
    return all.stream()
        .filter(ChatChoice::isFirst)
        .findFirst()
        .orElseGet(() -> all.isEmpty() ? JsonValue.of("{}") : all.get(0));
  }

  /**
   * What it says: its delta, or the whole message that some servers send in place of all deltas.
   *
   * @param begun whether a delta before has said something
   */
  public static @Nullable JsonValue piece(JsonValue choice, boolean begun) {
    JsonValue delta = choice.get("delta");
    JsonValue message = begun ? null : choice.get("message");
    return message == null || (delta != null && says(delta)) ? delta : message;
  }

  /** Whether a delta or message says more than its role. */
  public static boolean says(JsonValue piece) {
    return piece.fields().stream()
        .anyMatch(field -> !field.name().equals("role") && !JsonValue.isEmpty(field.value()));
  }
}
