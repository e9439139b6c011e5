package io.memorygateway.format.chat;

import io.memorygateway.figures.Figures;
import io.memorygateway.format.answer.ChatChoice;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.Characters;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How Chat says what an answer cost and why it ended. */
final class ChatUsage {
  private static final int MAX_DIGITS = 15;

  /** Reasons of answers that came to their end. */
  private static final Set<String> ENDS = Set.of("stop", "tool_calls", "function_call");

  private ChatUsage() {}

  /** A number of a target's answer; {@link Figures#UNKNOWN} for anything else. */
  static long count(@Nullable JsonValue value) {
    return value != null && Characters.areDigits(value.raw(), MAX_DIGITS)
        ? Long.parseLong(value.raw())
        : Figures.UNKNOWN;
  }

  static String write(Usage usage) {
    long read = Math.max(0, usage.input());
    long written = Math.max(0, usage.output());
    JsonObject input = new JsonObject().number("cached_tokens", Math.max(0, usage.cached()));
    if (usage.written() > 0) {
      input.number("cache_write_tokens", usage.written());
    }
    return new JsonObject()
        .number("prompt_tokens", read)
        .number("completion_tokens", written)
        .number("total_tokens", read + written)
        .raw("prompt_tokens_details", input.number("audio_tokens", 0).toString())
        .raw(
            "completion_tokens_details",
            new JsonObject()
                .number("reasoning_tokens", Math.max(0, usage.reasoning()))
                .number("audio_tokens", 0)
                .number("accepted_prediction_tokens", 0)
                .number("rejected_prediction_tokens", 0)
                .toString())
        .toString();
  }

  /** The stop sequence that ended an answer, as vLLM or SGLang say it; null if they say none. */
  static @Nullable String stopSequence(JsonValue choice) {
    String own = choice.string("stop_reason");
    return own == null ? choice.string("matched_stop") : own;
  }

  /**
   * Why an answer ended.
   *
   * @param finishReason null if none was given
   * @param stopSequence null if it was none that ended it
   * @param called whether it has calls
   * @param refused whether it has a refusal
   */
  static Stop stop(
      @Nullable String finishReason,
      @Nullable String stopSequence,
      boolean called,
      boolean refused) {
    String reason = ChatChoice.reason(finishReason);
    return switch (reason) {
      // Also of Mistral, Gemini and Z.ai; vLLM and MiMo cut what repeats itself.
      case "length",
          "model_length",
          "max_tokens",
          "model_context_window_exceeded",
          "repetition",
          "repetition_truncation" ->
          Stop.LENGTH;
      // Also of Gemini, Z.ai and Bedrock.
      case "content_filter",
          "safety",
          "recitation",
          "prohibited_content",
          "blocklist",
          "spii",
          "sensitive",
          "guardrail_intervened" ->
          Stop.REFUSAL;
      default -> {
        boolean end = ENDS.contains(reason);
        Stop said = finishReason == null ? Stop.NONE : end ? Stop.END : Stop.UNKNOWN;
        Stop why = stopSequence != null ? Stop.SEQUENCE : said;
        yield called ? Stop.TOOLS : refused ? Stop.REFUSAL : why;
      }
    };
  }

  /**
   * The reason of the end.
   *
   * @param called whether the answer has calls
   * @param function whether the first of them is in the form before tools
   */
  static String finishReason(Stop stop, boolean called, boolean function) {
    return switch (stop) {
      case LENGTH -> "length";
      case TOOLS -> function ? "function_call" : called ? "tool_calls" : "stop";
      case REFUSAL -> "content_filter";
      case END, SEQUENCE, PAUSE, UNKNOWN, NONE -> "stop";
    };
  }
}
