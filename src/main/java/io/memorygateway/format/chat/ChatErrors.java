package io.memorygateway.format.chat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.format.answer.RefusalWords;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Errors as Chat says them. */
final class ChatErrors {
  private static final int UNKNOWN_STATUS = 502;

  private ChatErrors() {}

  /** An error within a stream, of any shape. */
  static Fault fault(JsonValue error) {
    String type = error.text("type");
    String message = error.isString() ? error.text() : error.text("message");
    if (message.isEmpty()) {
      message = "The upstream answered with an error.";
    }
    boolean tooLong = new RefusalWords(error.rawBytes()).isContextLength();
    return new Fault(tooLong ? 400 : status(error, type), type, message, code(error), tooLong);
  }

  private static @Nullable String code(JsonValue error) {
    return error.get("code") == null ? null : error.said("code");
  }

  private static int status(JsonValue error, String type) {
    for (String name : List.of("status", "status_code", "code")) {
      long number = ChatUsage.count(error.get(name));
      if (number >= 400 && number < 600) {
        return (int) number;
      }
    }
    String words = (type + " " + error.text("code")).toLowerCase(Locale.ROOT);
    return words.contains("rate_limit") || words.contains(Fault.QUOTA)
        ? 429
        : words.contains("invalid_request") ? 400 : UNKNOWN_STATUS;
  }

  /** The body of an error answer, and the data of an error event. */
  static byte[] body(Fault fault) {
    return json(fault).getBytes(UTF_8);
  }

  static String json(Fault fault) {
    String code = fault.openAiCode();
    JsonObject error =
        new JsonObject()
            .string("message", fault.openAiMessage())
            .string("type", type(fault))
            .raw("param", "null");
    error = code == null ? error.raw("code", "null") : error.string("code", code);
    return "{\"error\":" + error + "}";
  }

  private static String type(Fault fault) {
    if (fault.tooLong()) {
      return "invalid_request_error";
    }
    return switch (fault.status()) {
      case 401 -> "authentication_error";
      case 402 -> Fault.QUOTA;
      case 403 -> "permission_error";
      case 404 -> "not_found_error";
      case 429 -> "rate_limit_error";
      default ->
          fault.status() < 500
              ? "invalid_request_error"
              : fault.type().equals("upstream_error") ? fault.type() : "server_error";
    };
  }
}
