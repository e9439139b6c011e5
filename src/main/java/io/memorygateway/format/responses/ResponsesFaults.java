package io.memorygateway.format.responses;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.format.answer.UpstreamError;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;

/** Errors as Responses has them. */
final class ResponsesFaults {
  static final String TOO_LONG = "context_length_exceeded";
  private static final String QUOTA = "insufficient_quota";
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
        TOO_LONG.equals(code) || UpstreamError.isContextLength(message.getBytes(UTF_8));
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
      case "rate_limit_exceeded", "rate_limit_error", QUOTA -> 429;
      case "invalid_api_key", "authentication_error" -> 401;
      case "permission_error" -> 403;
      case "invalid_prompt", "invalid_request_error" -> 400;
      case "server_is_overloaded", "slow_down", "overloaded_error" -> 503;
      default -> 502;
    };
  }

  /** An error as the body of an answer. */
  static byte[] body(Fault fault) {
    String code = fault.tooLong() ? TOO_LONG : fault.code();
    JsonObject error =
        new JsonObject()
            .string("message", fault.message())
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
      case 402 -> QUOTA;
      case 429 -> "rate_limit_error";
      default -> status < 500 ? "invalid_request_error" : "server_error";
    };
  }

  /** The code by which clients tell the errors of a stream apart. */
  static String streamCode(Fault fault) {
    if (fault.tooLong()) {
      return TOO_LONG;
    }
    return switch (fault.status()) {
      case 429 -> QUOTA.equals(fault.code()) ? QUOTA : "rate_limit_exceeded";
      case 400, 404, 413, 422 -> "invalid_prompt";
      default -> "server_error";
    };
  }
}
