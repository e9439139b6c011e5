package io.memorygateway.proxy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Routes to providers on loopback, each with a name, and calls to them. Every test has models of
 * its own, so that their circuits know nothing of other tests.
 */
final class Routed {
  static final String CHAT = "/v1/chat/completions";
  static final String MESSAGES = "/v1/messages";
  static final String RESPONSES = "/v1/responses";
  static final List<String> ENDPOINTS = List.of(CHAT, MESSAGES, RESPONSES);

  private Routed() {}

  /** A provider that serves everything and needs no key. */
  static ObjectNode provider(ObjectNode config, String name, FakeUpstream upstream) {
    ObjectNode provider = config.withObject("/providers").putObject(name);
    provider.put("baseUrl", upstream.url() + "/" + name + "/v1").put("needsKey", false);
    provider.putArray("endpoints").add("chat").add("messages").add("responses");
    return provider;
  }

  /** Every request is told what is left after it and all before, in windows that do not end. */
  static void exactLimits(ObjectNode config) {
    ObjectNode limits = config.withObject("/rateLimits").put("countAhead", false);
    limits.withObject("/rules").forEach(rule -> ((ObjectNode) rule).put("window", "1d"));
  }

  /** A route of one group after another, of {@code to} or {@code to*weight}. */
  static ObjectNode route(ObjectNode config, String name, String... groups) {
    ObjectNode route = config.withObject("/routes").putObject(name);
    ArrayNode all = route.putArray("groups");
    for (String group : groups) {
      ArrayNode targets = all.addArray();
      for (String target : group.split(" ", -1)) {
        String[] parts = target.split("\\*", -1);
        ObjectNode choice = targets.addObject().put("to", parts[0]);
        if (parts.length > 1) {
          choice.put("weight", Integer.parseInt(parts[1]));
        }
      }
    }
    return route;
  }

  static String body(String path, String model, boolean stream) {
    String question =
        path.equals(RESPONSES)
            ? "\"input\":\"Hello?\""
            : "\"messages\":[{\"role\":\"user\",\"content\":\"Hello?\"}]";
    String usage =
        stream && path.equals(CHAT) ? "\"stream_options\":{\"include_usage\":true}," : "";
    return "{\"model\":\"%s\",\"max_tokens\":50,\"stream\":%s,%s%s}"
        .formatted(model, stream, usage, question);
  }

  static HttpResponse<String> call(TestGateway gateway, String path, String model, boolean stream)
      throws Exception {
    return gateway.post(path, body(path, model, stream));
  }

  /** A call with more headers, as name and value in turn. */
  static HttpResponse<String> call(TestGateway gateway, String path, String body, String... headers)
      throws Exception {
    return gateway.send(
        gateway
            .request(path)
            .header("Content-Type", "application/json")
            .headers(headers)
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  /** What the upstream's canned answer to this request is. */
  static CannedReplies.Reply canned(String path, String model, boolean stream) throws Exception {
    return CannedReplies.reply(
        path,
        new com.fasterxml.jackson.databind.ObjectMapper().readTree(body(path, model, stream)),
        CannedReplies.TEXT);
  }

  /** A whole answer of Chat that tells these tokens. */
  static String usage(int input, int output) {
    return """
        {"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,
        "message":{"role":"assistant","content":"Fine."},"finish_reason":"stop"}],
        "usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}
        """
        .formatted(input, output, input + output);
  }

  /** Answers by the model of the request; others have a canned answer. */
  static final class Script implements java.util.function.Function<RecordedRequest, Answer> {
    private final Map<String, Answer> byModel = new HashMap<>();

    Script on(String model, Answer answer) {
      byModel.put(model, answer);
      return this;
    }

    @Override
    public Answer apply(RecordedRequest request) {
      Answer answer = byModel.get(request.json().path("model").asText());
      return answer == null ? CannedReplies.answer(request) : answer;
    }
  }
}
