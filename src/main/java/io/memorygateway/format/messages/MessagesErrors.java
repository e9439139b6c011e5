package io.memorygateway.format.messages;

import io.memorygateway.format.answer.RefusalWords;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.TokenCounts;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Errors as Anthropic's clients know them, and as its streams tell them. */
final class MessagesErrors {
  /** Words upon which coding agents compact their conversation. */
  private static final String TOO_LONG = "prompt is too long";

  /** The code upon which SDKs go on without a thread of messages. */
  private static final String NO_THREADS = "thread_unsupported_request";

  private static final Map<String, Integer> STATUSES =
      Map.of(
          "invalid_request_error", 400,
          "authentication_error", 401,
          "billing_error", 402,
          "permission_error", 403,
          "not_found_error", 404,
          "request_too_large", 413,
          "rate_limit_error", 429,
          "api_error", 500,
          "timeout_error", 504,
          "overloaded_error", 529);

  private MessagesErrors() {}

  /** The body of an error, and the data of the event of one. */
  static byte[] body(Fault fault) {
    JsonObject error =
        new JsonObject()
            .string("type", fault.tooLong() ? "invalid_request_error" : type(fault))
            .string("message", fault.tooLong() ? tooLong(fault) : message(fault));
    if (NO_THREADS.equals(fault.code())) {
      error.raw("details", new JsonObject().string("error_code", NO_THREADS).toString());
    }
    return new JsonObject().string("type", "error").raw("error", error.toString()).toBytes();
  }

  private static String type(Fault fault) {
    return switch (fault.status()) {
      case 401 -> "authentication_error";
      case 402 -> "billing_error";
      case 403 -> "permission_error";
      case 404 -> "not_found_error";
      case 413 -> "request_too_large";
      case 429 -> "rate_limit_error";
      case 408, 504 -> "timeout_error";
      case 503, 529 -> "overloaded_error";
      default -> fault.status() < 500 ? "invalid_request_error" : "api_error";
    };
  }

  /** Anthropic's words, with the counts where the message tells which is which. */
  private static String tooLong(Fault fault) {
    String message = fault.message();
    if (message.toLowerCase(Locale.ROOT).startsWith(TOO_LONG)) {
      return message;
    }
    TokenCounts counts = fault.counts();
    return counts.exceedWindow()
        ? TOO_LONG + ": " + counts.most() + " tokens > " + counts.window() + " maximum"
        : TOO_LONG + ": " + message;
  }

  /** Anthropic's words for a limit of the output that is too large, upon which agents lower it. */
  private static String message(Fault fault) {
    TokenCounts counts = fault.counts();
    return counts.areOfOutput()
        ? "input length and `max_tokens` exceed context limit: %d + %d > %d, decrease input length or `max_tokens` and try again"
            .formatted(counts.input(), counts.output(), counts.window())
        : fault.message();
  }

  /** The error that an event of a stream tells, whatever form it has. */
  static Fault of(JsonValue data) {
    JsonValue error = data.get("error");
    JsonValue said = error != null && error.isObject() ? error : data;
    String type = said == data && error != null ? "" : said.text("type");
    String message = "";
    for (String member : List.of("message", "detail", "error")) {
      message = message.isEmpty() ? said.text(member) : message;
    }
    boolean tooLong = new RefusalWords(data.rawBytes()).isContextLength();
    return new Fault(
        tooLong ? 400 : STATUSES.getOrDefault(type, 502),
        type.equals("error") ? "" : type,
        message.isEmpty() ? "The upstream answered with an error." : message,
        said.string("code"),
        tooLong);
  }
}
