package io.memorygateway.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
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
    byte[] json = Json.withoutByteOrderMark(body);
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
    try (JsonParser parser = Json.open(json, 0, json.length)) {
      // Gemini wraps its error in an array.
      if (parser.nextToken() == JsonToken.START_ARRAY) {
        parser.nextToken();
      }
      if (parser.currentToken() != JsonToken.START_OBJECT) {
        return null;
      }
      List<JsonMember> members = JsonMember.readAll(parser, json);
      for (JsonToken rest = parser.nextToken(); rest != null; rest = parser.nextToken()) {
        parser.skipChildren();
      }
      JsonMember error = JsonMember.find(members, "error");
      return error != null && error.token() == JsonToken.START_OBJECT
          ? mended(Arrays.copyOfRange(json, error.start(), error.end()), type)
          : fromTopLevel(json, members, type);
    } catch (IOException e) {
      return null;
    }
  }

  /** An error object, with message and type as strings; all else stays. */
  private static String mended(byte[] error, String type) throws IOException {
    List<Edit> edits = new ArrayList<>();
    try (JsonParser parser = Json.open(error, 0, error.length)) {
      parser.nextToken();
      List<JsonMember> members = JsonMember.readAll(parser, error);
      List<String> missing = new ArrayList<>();
      if (JsonMember.find(members, "message") == null) {
        missing.add("\"message\":" + GENERIC_MESSAGE);
      }
      if (JsonMember.find(members, "type") == null) {
        missing.add("\"type\":" + type);
      }
      if (!missing.isEmpty()) {
        edits.add(Edit.insert(1, String.join(",", missing) + (members.isEmpty() ? "" : ",")));
      }
      for (JsonMember member : members) {
        if (!member.isString()) {
          if (member.name().equals("message")) {
            edits.add(new Edit(member.start(), member.end(), asMessage(member, error)));
          } else if (member.name().equals("type")) {
            edits.add(new Edit(member.start(), member.end(), type));
          }
        }
      }
    }
    return new String(Edit.apply(error, edits), UTF_8);
  }

  /** Ollama: {@code error} is the text. vLLM: a flat object. Others: message or detail alone. */
  private static @Nullable String fromTopLevel(
      byte[] json, List<JsonMember> members, String typeOfStatus) {
    String message = null;
    for (String source : List.of("detail", "message", "error")) {
      JsonMember member = JsonMember.find(members, source);
      if (member != null && (member.isString() || member.token().isStructStart())) {
        message = asMessage(member, json);
      }
    }
    if (message == null) {
      return null;
    }
    JsonMember type = JsonMember.find(members, "type");
    StringBuilder error = new StringBuilder("{\"message\":").append(message);
    error
        .append(",\"type\":")
        .append(type != null && type.isString() ? type.text(json) : typeOfStatus);
    for (String kept : List.of("param", "code")) {
      JsonMember member = JsonMember.find(members, kept);
      if (member != null) {
        error.append(",\"").append(kept).append("\":").append(member.text(json));
      }
    }
    return error.append('}').toString();
  }

  /** A string as it is; an object, array or number as its text. */
  private static String asMessage(JsonMember member, byte[] json) {
    if (member.token() == JsonToken.VALUE_NULL) {
      return GENERIC_MESSAGE;
    }
    return member.isString() ? member.text(json) : Json.quote(member.text(json));
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
