package io.memorygateway.proxy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.dialect.ChatDialect;
import io.memorygateway.dialect.Dialect;
import io.memorygateway.dialect.MalformedAnswerException;
import io.memorygateway.dialect.MessagePiece;
import io.memorygateway.dialect.MessagesDialect;
import io.memorygateway.dialect.ResponsesDialect;
import io.memorygateway.dialect.StoredMessage;
import io.memorygateway.dialect.Usage;
import io.memorygateway.observation.ModelClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A question of the observer, and its answer, in the words of one endpoint. */
final class ObserverQuestion {
  private static final JsonMapper JSON = new JsonMapper();

  private final Endpoint endpoint;
  private final Dialect dialect;

  private ObserverQuestion(Endpoint endpoint, Dialect dialect) {
    this.endpoint = endpoint;
    this.dialect = dialect;
  }

  static ObserverQuestion at(Endpoint endpoint) {
    return new ObserverQuestion(
        endpoint,
        switch (endpoint) {
          case CHAT -> new ChatDialect();
          case MESSAGES -> new MessagesDialect();
          case RESPONSES -> new ResponsesDialect();
          default -> throw new IllegalArgumentException(endpoint + " answers no questions");
        });
  }

  /**
   * The body. How warm the model is and, where that may be left out, how much it answers is left to
   * its provider: not all models take these settings.
   */
  byte[] body(ModelClient.Request request, String upstreamModel) {
    ObjectNode body = JSON.createObjectNode().put("model", upstreamModel);
    String system = clean(request.system());
    String text = clean(request.text());
    switch (endpoint) {
      case MESSAGES -> {
        body.put("max_tokens", request.maxOutputTokens()).put("system", system);
        body.putArray("messages").addObject().put("role", "user").put("content", text);
      }
      case RESPONSES -> body.put("instructions", system).put("input", text).put("store", false);
      default ->
          body.putArray("messages")
              .add(JSON.createObjectNode().put("role", "system").put("content", system))
              .add(JSON.createObjectNode().put("role", "user").put("content", text));
    }
    try {
      return JSON.writeValueAsBytes(body);
    } catch (JsonProcessingException e) {
      throw new AssertionError("a tree of texts", e);
    }
  }

  /**
   * What a successful answer says.
   *
   * @throws MalformedAnswerException if it is none
   */
  ModelClient.Completion read(byte[] answer) throws MalformedAnswerException {
    Usage usage = dialect.usage(answer);
    StringBuilder text = new StringBuilder();
    for (StoredMessage message : dialect.answer(answer)) {
      for (MessagePiece piece : MessagePiece.of(message.content())) {
        if (piece instanceof MessagePiece.Text said) {
          text.append(said.text());
        }
      }
    }
    return new ModelClient.Completion(
        text.toString(), isTruncated(answer), usage.inputTokens(), usage.outputTokens());
  }

  private boolean isTruncated(byte[] answer) {
    try {
      JsonNode tree = JSON.readTree(answer);
      return switch (endpoint) {
        case MESSAGES -> tree.path("stop_reason").asText().equals("max_tokens");
        case RESPONSES -> tree.path("status").asText().equals("incomplete");
        default -> tree.path("choices").path(0).path("finish_reason").asText().equals("length");
      };
    } catch (IOException e) {
      return false; // it was read before
    }
  }

  /** Without halves of characters, which UTF-8 cannot spell. */
  private static String clean(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }
}
