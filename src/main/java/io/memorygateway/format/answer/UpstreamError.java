package io.memorygateway.format.answer;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.memorygateway.json.Edit;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.json.Utf8;
import io.memorygateway.secret.SecretMask;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Converts an upstream's error answer of any shape to the error envelope of contract §3: {@code
 * {"error":{"message","type",…}}}. Members of the upstream's {@code error} object keep their bytes;
 * its other top-level members are dropped; a body that is not JSON is never passed on.
 */
public final class UpstreamError {
  private static final String GENERIC_MESSAGE = "\"The upstream answered with an error.\"";

  /** Values by which an error says nothing. */
  private static final Set<String> NOTHING =
      Set.of("null", "false", "0", "", "NaN", "Infinity", "-Infinity");

  /** Members by which an object without others reports an error, as does a text {@code message}. */
  private static final Set<String> ALONE = Set.of("error", "errors", "detail");

  /**
   * Levels of JSON that are parsed: an array around the answer, the answer, and its error object.
   */
  private static final int LEVELS = 3;

  private static final int UNKNOWN_STATUS = 502;

  private UpstreamError() {}

  /**
   * Rewrites the body of an error answer.
   *
   * @param status the upstream's, which determines the type if the body has none
   * @param body as received: JSON, HTML, nothing
   * @param secrets to be masked as {@code ***}, such as the provider's key
   * @return UTF-8 JSON
   */
  public static byte[] rewrite(int status, byte[] body, Collection<String> secrets) {
    byte[] json = Utf8.withoutByteOrderMark(body);
    String type = JsonWriter.quote(typeOf(status));
    String error = Utf8.isValid(json) ? readError(json, type) : null;
    if (error != null) {
      try {
        return SecretMask.apply(envelope(error), secrets);
      } catch (IOException e) {
        // Too deeply nested for the envelope: not passed on.
      }
    }
    return envelope(flat(GENERIC_MESSAGE, type));
  }

  /** The error object of an answer that is one, of any shape. */
  public static JsonValue of(JsonValue answer) {
    byte[] envelope = rewrite(UNKNOWN_STATUS, answer.rawBytes(), List.of());
    return JsonValue.of(new String(envelope, UTF_8)).at("error");
  }

  /**
   * Whether the member {@code error} at the current token, which is read to its end, reports one:
   * some servers have it in each answer and chunk, with nothing in it.
   */
  public static boolean isReported(JsonParser error) throws IOException {
    boolean reported = false;
    int depth = 0;
    do {
      JsonToken token = depth == 0 ? error.currentToken() : error.nextToken();
      depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
      reported |= token.isScalarValue() && !NOTHING.contains(error.getText());
    } while (depth > 0);
    return reported;
  }

  /** The same of a value that is parsed; null if there is none. */
  public static boolean isReported(@Nullable JsonValue error) {
    if (error == null || error.isObject() || error.isArray()) {
      return error != null
          && (error.fields().stream().anyMatch(field -> isReported(field.value()))
              || error.items().stream().anyMatch(UpstreamError::isReported));
    }
    return !NOTHING.contains(error.isString() ? error.text() : error.raw());
  }

  /** Whether an object that holds nothing of an answer is an error by itself. */
  public static boolean isReportedBy(JsonValue object) {
    return !object.text("message").isBlank()
        || ALONE.stream().anyMatch(name -> isReported(object.get(name)));
  }

  /** The same of a member of one at the current token, which is read to its end. */
  public static boolean isReportedBy(String name, JsonParser member) throws IOException {
    return ALONE.contains(name)
        ? isReported(member)
        : name.equals("message")
            && member.currentToken() == JsonToken.VALUE_STRING
            && !member.getText().isBlank();
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
      JsonValue choices = root.get("choices");
      if (choices != null && !choices.items().isEmpty() && !isReported(root.get("error"))) {
        byte[] first = choices.items().get(0).rawBytes();
        JsonValue choice = JsonValue.parse(first, ParseOptions.LENIENT.withLevels(LEVELS));
        root = isReported(choice.get("error")) ? choice : root;
      }
      JsonValue error = root.get("error");
      JsonValue errors = root.get("errors");
      if (errors != null && !errors.items().isEmpty() && !isReported(error)) {
        error = errors.items().get(0);
      }
      return error != null && error.isObject() ? completed(error, type) : fromTopLevel(root, type);
    } catch (IOException e) {
      return null;
    }
  }

  /** The error object with message and type as strings; its other members are unchanged. */
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

  /**
   * The error of a body without an error object; null if it has none. Ollama: {@code error} is the
   * text. vLLM: a flat object. Others: only message or detail.
   */
  private static @Nullable String fromTopLevel(JsonValue root, String typeOfStatus) {
    String message = null;
    for (String source : List.of("errors", "detail", "message", "error")) {
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

  /** A string itself; an object, array or number as its JSON text. */
  private static String messageOf(JsonValue value) {
    if (value.isNull()) {
      return GENERIC_MESSAGE;
    }
    return value.isString() ? value.raw() : JsonWriter.quote(value.raw());
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
