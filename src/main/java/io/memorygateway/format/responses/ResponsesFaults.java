package io.memorygateway.format.responses;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.format.answer.RefusalWords;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;

/** Errors as Responses has them. */
final class ResponsesFaults {
  private static final String NO_MESSAGE = "The upstream's answer failed.";

  private ResponsesFaults() {}

  /** Reads an event that reports an error, of any shape. */
  static Fault read(JsonValue event) {
    JsonValue response = event.get("response");
    JsonValue within = response == null ? event : response;
    JsonValue error = within.get("error");
    JsonValue said = error == null ? within : error;
    String message = said.isString() ? said.text() : said.text("message");
    String type = said.text("type").equals("error") ? "" : said.text("type");
    String code = said.string("code");
    boolean tooLong =
        Fault.TOO_LONG.equals(code) || new RefusalWords(message.getBytes(UTF_8)).isContextLength();
    return new Fault(
        tooLong ? 400 : status(code == null ? type : code),
        type,
        message.isBlank() ? NO_MESSAGE : message,
        code,
        tooLong);
  }

  /** The status that an error would have had by itself. */
  private static int status(String code) {
    return switch (code) {
      case Fault.RATE_LIMIT, "rate_limit_error", Fault.QUOTA -> 429;
      case "invalid_api_key", "authentication_error" -> 401;
      case "permission_error" -> 403;
      case "invalid_prompt", "invalid_request_error" -> 400;
      case "server_is_overloaded", "slow_down", "overloaded_error" -> 503;
      default -> 502;
    };
  }

  static byte[] body(Fault fault) {
    String code = fault.openAiCode();
    JsonObject error =
        new JsonObject()
            .string("message", fault.openAiMessage())
            .string("type", type(fault))
            .raw("param", "null")
            .raw("code", code == null ? "null" : JsonWriter.quote(code));
    return ("{\"error\":" + error + "}").getBytes(UTF_8);
  }

  private static String type(Fault fault) {
    int status = fault.tooLong() ? 400 : fault.status();
    return switch (status) {
      case 401 -> "authentication_error";
      case 403 -> "permission_error";
      case 402 -> Fault.QUOTA;
      case 429 -> "rate_limit_error";
      default -> status < 500 ? "invalid_request_error" : "server_error";
    };
  }

  /** The code by which clients tell the errors of a stream apart. */
  static String streamCode(Fault fault) {
    if (fault.tooLong()) {
      return Fault.TOO_LONG;
    }
    return switch (fault.status()) {
      case 402 -> Fault.QUOTA;
      case 429 -> Fault.QUOTA.equals(fault.code()) ? Fault.QUOTA : Fault.RATE_LIMIT;
      case 400, 404, 413, 422 -> "invalid_prompt";
      default -> "server_error";
    };
  }
}
