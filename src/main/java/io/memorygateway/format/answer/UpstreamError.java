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
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Converts an upstream's error answer of any shape to the error envelope of contract §3: {@code
 * {"error":{"message","type",…}}}. Members of the upstream's {@code error} object keep their bytes;
 * its other top-level members are dropped; a body that is not JSON is never passed on.
 */
public final class UpstreamError {
  private static final String GENERIC_MESSAGE = "\"The upstream answered with an error.\"";

  /** Bytes of an error that are searched for its cause. */
  private static final int MAX_SCANNED_BYTES = 64 << 10;

  /** Values by which an error says nothing. */
  private static final Set<String> NOTHING = Set.of("null", "false", "0", "");

  /** Phrases by which providers and self-hosted servers report a call that is too long. */
  private static final List<String> CONTEXT_LENGTH =
      List.of(
          "context_length_exceeded",
          "exceed_context_size",
          "maximum context length",
          "max context length",
          "maximum prompt length",
          "exceeds the context window",
          "context window exceeds",
          "exceeds the context length",
          "exceeds the available context size",
          "exceed context limit",
          "exceed context window of",
          "longer than the model's context length",
          "the model's context length is",
          "greater than the context length",
          "prompt is too long",
          "prompt too long",
          "input is too long",
          "too long to fit into the model",
          "exceeds the maximum number of tokens",
          "longer than the maximum model length",
          "context length of only",
          "exceeded model token limit",
          "tokens + `max_new_tokens` must be",
          "`inputs` must have less than",
          "context window is exceeded",
          "context window exceeded",
          "contextwindowexceeded",
          "exceeds model context",
          "exceeds the model's context",
          "exceed the model's context",
          "exceed max_seq_len",
          "prompt exceeds max length",
          "input tokens exceed",
          "too many input tokens",
          "too many tokens: total",
          "too many tokens: size limit exceeded",
          "exceeded this model context window",
          "exceeds maximum input length",
          "exceeds maximum sequence length",
          "exceeds the maximum allowed length",
          "should not exceed max_num_tokens",
          "total tokens of image and text exceed",
          ">= n_ctx",
          "cannot exceed the total tokens limit",
          "is greater than max_seq_len",
          "range of input length should be",
          "reduce the length of the messages",
          "total length of messages should be",
          "maximum allowed input length",
          "conversation is too long",
          "context size has been exceeded",
          "reached context length of",
          "but model only supports up to",
          "max_prompt_tokens_exceeded",
          "prompt token count of",
          "tokens_limit_reached",
          "request body too large for");

  /** Phrases by which providers report reasoning that they do not take. */
  private static final List<String> REASONING =
      List.of(
          "encrypted_content",
          "encrypted content",
          "thought_signature",
          "thought signature",
          "reasoning_content",
          "reasoning_details",
          "extra_content",
          "of type 'reasoning' was provided without",
          "items are not persisted when `store`",
          "item id does not belong to this connection",
          "blocks in the latest assistant message cannot be modified",
          "in `redacted_thinking` block");

  /** Phrases by which providers report that an answer is told without its reasoning. */
  private static final List<String> MISSING_REASONING =
      List.of("must be passed back", "reasoning_content is missing");

  /** Phrases by which providers report that they are told how much to reason in vain. */
  private static final List<String> EFFORT =
      List.of(
          "reasoning_effort",
          "reasoningeffort",
          "reasoning.effort",
          "output_config.effort",
          "'reasoning', 'effort'",
          "\"reasoning\",\"effort\"",
          "effort parameter",
          "effort level",
          "adaptive thinking is not supported");

  /** Members of how tokens are chosen, which models that reason do not take. */
  private static final List<String> SAMPLING = List.of("temperature", "top_p", "top_k");

  /** Phrases by which providers report that they do not take a member, or its value. */
  private static final List<String> NOT_TAKEN =
      List.of(
          "is deprecated",
          "not support",
          "unsupported",
          "cannot both be",
          "may only be set",
          "is allowed",
          "must be set to");

  /** Phrases by which chat templates and their servers refuse the roles of messages. */
  private static final List<String> ROLES =
      List.of(
          "system message must be at the beginning",
          "roles must alternate",
          "roles should be alternating",
          "successive user or assistant messages",
          "expected last role",
          "unexpected role",
          "invalid_request_message_order",
          "tool call id was");

  /**
   * Levels of JSON that are parsed: an array around the answer, the answer, and its error object.
   */
  private static final int LEVELS = 3;

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

  /**
   * Whether an answer of status 400 or 413 reports that the call is longer than the model's
   * context.
   *
   * @param body as received
   */
  public static boolean isContextLength(byte[] body) {
    String text = lowerCase(body);
    return CONTEXT_LENGTH.stream().anyMatch(text::contains)
        || (text.contains("input length") && text.contains("exceeds the maximum length"))
        // What is left of the context beside the prompt; -1 is what callers may say.
        || (text.contains("max_tokens must be at least 1, got -") && !text.contains("got -1."));
  }

  private static boolean says(List<String> phrases, byte[] body) {
    String text = lowerCase(body);
    return phrases.stream().anyMatch(text::contains);
  }

  private static String lowerCase(byte[] body) {
    return new String(body, 0, Math.min(body.length, MAX_SCANNED_BYTES), UTF_8)
        .toLowerCase(Locale.ROOT);
  }

  /**
   * Whether an answer of status 400, 404 or 422 reports that reasoning in the call is another
   * model's or is not known any more, or that the provider takes none.
   *
   * @param body as received
   */
  public static boolean isForeignReasoning(byte[] body) {
    String text = lowerCase(body);
    return REASONING.stream().anyMatch(text::contains)
        || (text.contains("signature") && text.contains("thinking"));
  }

  /**
   * Whether an answer of status 400 or 422 reports that an answer of the model stands in the call
   * without its reasoning.
   *
   * @param body as received
   */
  public static boolean isOfMissingReasoning(byte[] body) {
    String text = lowerCase(body);
    return (text.contains("reasoning_content") || text.contains("[].thinking"))
        && MISSING_REASONING.stream().anyMatch(text::contains);
  }

  /**
   * Whether an answer of status 400 reports that a thought is bound to what stood before it when it
   * was made, or that nothing can be said of such thoughts.
   *
   * @param body as received
   */
  public static boolean isBoundThought(byte[] body) {
    return says(List.of("bound to a different conversation", "block_binding"), body);
  }

  /**
   * Whether an answer of status 400 or 422 reports that the model cannot be told how much to
   * reason, or not so.
   *
   * @param body as received
   */
  public static boolean isOfEffort(byte[] body) {
    return says(EFFORT, body);
  }

  /**
   * Whether an answer of status 400 or 422 reports that the model does not take how tokens are to
   * be chosen.
   *
   * @param body as received
   */
  public static boolean isOfSampling(byte[] body) {
    return says(SAMPLING, body) && says(NOT_TAKEN, body);
  }

  /**
   * Whether an answer of status 400 or 422 reports that the output limit is above what the model
   * has, whatever the prompt.
   *
   * @param body as received
   */
  public static boolean isOfOutputLimit(byte[] body) {
    return RefusedLimit.isIn(lowerCase(body)) && !isContextLength(body);
  }

  /**
   * Whether an error reports that the roles of messages, or the ids of calls, are not as the
   * server's chat template demands. Some servers say so with status 404 or 500.
   *
   * @param body as received
   */
  public static boolean isOfRoles(byte[] body) {
    return says(ROLES, body);
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
