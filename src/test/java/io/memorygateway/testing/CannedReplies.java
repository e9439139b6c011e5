package io.memorygateway.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Realistic answers of the three formats and their relatives, whole or as events, chosen by the
 * path and by the body's {@code stream}. Tokens are words.
 */
public final class CannedReplies {
  /** What every canned answer says. */
  public static final String TEXT = "Hello from the upstream.";

  private static final ObjectMapper JSON = new ObjectMapper();

  private CannedReplies() {}

  /**
   * An answer in the form of its endpoint.
   *
   * @param status 200, or 404 for an unknown path
   * @param json the whole answer; empty for a stream
   * @param events whole server-sent events; empty for one that is no stream
   */
  public record Reply(int status, String json, List<String> events) {
    static Reply whole(JsonNode json) {
      return new Reply(200, json.toString(), List.of());
    }

    static Reply stream(List<String> events) {
      return new Reply(200, "", events);
    }

    public boolean isStream() {
      return !events.isEmpty();
    }
  }

  /** The script that a {@link FakeUpstream} starts with. */
  public static Answer answer(RecordedRequest request) {
    Reply reply = reply(request.path(), request.body().length == 0 ? null : request.json(), TEXT);
    return reply.isStream()
        ? Answer.sse(reply.events())
        : Answer.json(reply.status(), reply.json());
  }

  /**
   * The answer to one request.
   *
   * @param path with or without a prefix such as {@code /v1}
   * @param body the request's; null if it had none
   * @param text what the answer says
   */
  public static Reply reply(String path, JsonNode body, String text) {
    JsonNode request = body == null ? JSON.createObjectNode() : body;
    boolean stream = request.path("stream").asBoolean();
    if (path.endsWith("/chat/completions")) {
      ChatReplies chat = new ChatReplies(request, text);
      return stream ? Reply.stream(chat.events()) : Reply.whole(chat.whole());
    }
    if (path.endsWith("/completions")) {
      return stream ? Reply.stream(completionEvents()) : Reply.whole(completion("\"stop\""));
    }
    if (path.endsWith("/messages")) {
      MessagesReplies messages = new MessagesReplies(request, text);
      return stream ? Reply.stream(messages.events()) : Reply.whole(messages.whole());
    }
    if (path.endsWith("/responses")) {
      ResponsesReplies responses = new ResponsesReplies(request, text);
      return stream ? Reply.stream(responses.events()) : Reply.whole(responses.whole());
    }
    if (path.endsWith("/messages/count_tokens")) {
      return Reply.whole(JSON.createObjectNode().put("input_tokens", promptTokens(request)));
    }
    if (path.endsWith("/embeddings")) {
      return Reply.whole(EmbeddingReplies.whole(request));
    }
    String error =
        "{\"error\":{\"message\":\"no such endpoint\",\"type\":\"invalid_request_error\"}}";
    return new Reply(404, error, List.of());
  }

  /** Of the legacy endpoint: one word. */
  private static JsonNode completion(String finishReason) {
    return json(
        """
        {"id":"cmpl-canned","object":"text_completion","created":1763632800,"model":"canned",
         "choices":[{"text":"Hello","index":0,"logprobs":null,"finish_reason":%s}],
         "usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}
        """
            .formatted(finishReason));
  }

  private static List<String> completionEvents() {
    List<String> events =
        new ArrayList<>(events(List.of(completion("null"), completion("\"stop\"")), chunk -> ""));
    events.add("data: [DONE]\n\n");
    return events;
  }

  /** The text of the last user message in a body of any of the three formats; "" without one. */
  public static String lastUserText(JsonNode body) {
    JsonNode messages = body.path(body.has("messages") ? "messages" : "input");
    if (messages.isTextual()) {
      return messages.asText();
    }
    for (int i = messages.size() - 1; i >= 0; i--) {
      String text = text(messages.get(i).path("content"));
      if ("user".equals(messages.get(i).path("role").asText()) && !text.isEmpty()) {
        return text;
      }
    }
    return "";
  }

  private static String text(JsonNode content) {
    if (content.isTextual()) {
      return content.asText();
    }
    List<String> parts = new ArrayList<>();
    content.forEach(part -> parts.add(part.path("text").asText()));
    return String.join("\n", parts).strip();
  }

  static int promptTokens(JsonNode request) {
    int tokens = text(request.path("system")).split("\\s+", -1).length;
    for (JsonNode message : request.path(request.has("messages") ? "messages" : "input")) {
      tokens += text(message.path("content")).split("\\s+", -1).length;
    }
    return tokens;
  }

  /** Words, each with the space before it: what a stream sends one by one. */
  static List<String> tokens(String text) {
    return List.of(text.split("(?<=\\S)(?=\\s)", -1));
  }

  static List<String> events(List<JsonNode> payloads, Function<JsonNode, String> head) {
    return payloads.stream().map(json -> head.apply(json) + "data: " + json + "\n\n").toList();
  }

  public static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** A string as JSON, in its quotes. */
  static String quote(String text) {
    return JSON.getNodeFactory().textNode(text).toString();
  }
}
