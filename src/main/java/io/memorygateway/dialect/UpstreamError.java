package io.memorygateway.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.json.Edit;
import io.memorygateway.json.Json;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.json.Utf8;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings an error answer of an upstream, whatever its shape, into the one envelope of contract §3:
 * {@code {"error":{"message","type",…}}}. Members of the upstream's {@code error} object keep their
 * bytes; its other top-level members are dropped; what is not JSON is never shown.
 */
public final class UpstreamError {
  private static final String GENERIC_MESSAGE = "\"The upstream answered with an error.\"";

  /** An array around the answer, the answer, and its error object. */
  private static final int LEVELS = 3;

  private UpstreamError() {}

  /**
   * Rewrites the body of an error answer.
   *
   * @param status the upstream's, which gives the type when the body has none
   * @param body as it came: JSON, HTML, nothing
   * @param secrets what must not get out, such as the provider's key: masked as {@code ***}
   * @return UTF-8 JSON
   */
  public static byte[] rewrite(int status, byte[] body, Collection<String> secrets) {
    byte[] json = Utf8.withoutByteOrderMark(body);
    String type = Json.quote(typeOf(status));
    String error = Utf8.isValid(json) ? readError(json, type) : null;
    if (error != null) {
      try {
        return SecretMask.apply(envelope(error), secrets);
      } catch (IOException e) {
        // Nested so deeply that the envelope was too much: not worth showing.
      }
    }
    return envelope(flat(GENERIC_MESSAGE, type));
  }

  private static byte[] envelope(String error) {
    return ("{\"error\":" + error + "}").getBytes(UTF_8);
  }

  private static @Nullable String readError(byte[] json, String type) {
    try {
      JsonValue root = JsonValue.parse(json, ParseOptions.LENIENT.withLevels(LEVELS));
      // Gemini wraps its error in an array.
      if (root.isArray() && !root.items().isEmpty()) {
        root = root.items().get(0);
      }
      if (!root.isObject()) {
        return null;
      }
      JsonValue error = root.get("error");
      return error != null && error.isObject() ? completed(error, type) : fromTopLevel(root, type);
    } catch (IOException e) {
      return null;
    }
  }

  /** An error object, with message and type as strings; all else stays. */
  private static String completed(JsonValue error, String type) {
    List<Edit> edits = new ArrayList<>();
    List<String> missing = new ArrayList<>();
    if (error.member("message") == null) {
      missing.add("\"message\":" + GENERIC_MESSAGE);
    }
    if (error.member("type") == null) {
      missing.add("\"type\":" + type);
    }
    if (!missing.isEmpty()) {
      String comma = error.fields().isEmpty() ? "" : ",";
      edits.add(Edit.insert(1, String.join(",", missing) + comma));
    }
    for (JsonValue.Field field : error.fields()) {
      JsonValue value = field.value();
      boolean message = field.name().equals("message");
      if (!value.isString() && (message || field.name().equals("type"))) {
        int start = value.start() - error.start();
        edits.add(new Edit(start, start + value.length(), message ? messageOf(value) : type));
      }
    }
    return new String(Edit.apply(error.rawBytes(), edits), UTF_8);
  }

  /** Ollama: {@code error} is the text. vLLM: a flat object. Others: message or detail alone. */
  private static @Nullable String fromTopLevel(JsonValue root, String typeOfStatus) {
    String message = null;
    for (String source : List.of("detail", "message", "error")) {
      JsonValue value = root.get(source);
      if (value != null && (value.isString() || value.isArray() || value.isObject())) {
        message = messageOf(value);
      }
    }
    if (message == null) {
      return null;
    }
    JsonValue type = root.get("type");
    StringBuilder error = new StringBuilder("{\"message\":").append(message);
    error.append(",\"type\":").append(type != null && type.isString() ? type.raw() : typeOfStatus);
    for (String name : List.of("param", "code")) {
      JsonValue value = root.member(name);
      if (value != null) {
        error.append(",\"").append(name).append("\":").append(value.raw());
      }
    }
    return error.append('}').toString();
  }

  /** A string as it is; an object, array or number as its text. */
  private static String messageOf(JsonValue value) {
    if (value.isNull()) {
      return GENERIC_MESSAGE;
    }
    return value.isString() ? value.raw() : Json.quote(value.raw());
  }

  private static String flat(String message, String type) {
    return "{\"message\":" + message + ",\"type\":" + type + "}";
  }

  private static String typeOf(int status) {
    return switch (status) {
      case 400, 422 -> "invalid_request_error";
      case 401 -> "authentication_error";
      case 403 -> "permission_error";
      case 404 -> "not_found";
      case 429 -> "rate_limit_error";
      default -> "upstream_error";
    };
  }
}
