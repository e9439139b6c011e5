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
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Brings an error answer of an upstream, whatever its shape, into the one envelope of contract §3:
 * {@code {"error":{"message","type",…}}}. Members of the upstream's {@code error} object keep their
 * bytes; its other top-level members are dropped; what is not JSON is never shown.
 */
public final class UpstreamError {
  private static final String GENERIC_MESSAGE = "\"The upstream answered with an error.\"";

  /** Bytes of an error that are looked at for its kind. */
  private static final int LOOKED_AT = 64 << 10;

  /** What providers and servers on premises say of a call that is too long. */
  private static final List<String> CONTEXT_LENGTH =
      List.of(
          "context_length_exceeded",
          "maximum context length",
          "exceeds the context window",
          "context window exceeds",
          "prompt is too long",
          "input is too long",
          "exceeds the maximum number of tokens",
          "longer than the maximum model length");

  /** The member of a whole answer that holds what it says, by format. */
  private static final List<String> ANSWERS = List.of("choices", "content", "output", "data");

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

  /**
   * Whether an answer of status 400 says that the call is longer than the model reads.
   *
   * @param body as it came
   */
  public static boolean isContextLength(byte[] body) {
    String text =
        new String(body, 0, Math.min(body.length, LOOKED_AT), UTF_8).toLowerCase(Locale.ROOT);
    return CONTEXT_LENGTH.stream().anyMatch(text::contains);
  }

  /**
   * Whether an answer of status 400 says that the reasoning in the call is not the model's own.
   *
   * @param body as it came
   */
  public static boolean isForeignReasoning(byte[] body) {
    String text =
        new String(body, 0, Math.min(body.length, LOOKED_AT), UTF_8).toLowerCase(Locale.ROOT);
    return text.contains("encrypted_content")
        || text.contains("encrypted content")
        || text.contains("thought_signature")
        || text.contains("thought signature")
        || (text.contains("signature") && text.contains("thinking"));
  }

  /** Whether an answer of a good status reports an error and has nothing else. */
  public static boolean isErrorOnly(byte[] body) {
    try {
      JsonValue root = JsonValue.parse(body, ParseOptions.LENIENT.withLevels(2));
      return root.get("error") != null && ANSWERS.stream().noneMatch(name -> hasItems(root, name));
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean hasItems(JsonValue root, String name) {
    JsonValue value = root.get(name);
    return value != null && !(value.isArray() && value.items().isEmpty());
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
      JsonValue response = root.get("response");
      if (response != null && root.member("error") == null) {
        // The event of a response that failed.
        root = JsonValue.parse(response.rawBytes(), ParseOptions.LENIENT.withLevels(LEVELS));
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
