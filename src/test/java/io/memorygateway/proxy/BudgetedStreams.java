package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.format.chat.ChatStreamRules;
import io.memorygateway.format.messages.MessagesStreamRules;
import io.memorygateway.format.responses.ResponsesStreamRules;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpResponse;
import java.util.Map;

/** Streams under budgets, of all formats and translated, and what their rules say of them. */
abstract class BudgetedStreams {
  static final ObjectMapper JSON = new ObjectMapper();
  static final String LONG = "one two three four five six seven eight nine ten ".repeat(40);

  private static final Map<String, String> PATHS =
      Map.of("chat", Routed.CHAT, "messages", Routed.MESSAGES, "responses", Routed.RESPONSES);

  private final TestGateway gateway;

  BudgetedStreams(TestGateway gateway) {
    this.gateway = gateway;
  }

  static void configure(ObjectNode config, FakeUpstream upstream) {
    for (String served : PATHS.keySet()) {
      ObjectNode provider = Routed.provider(config, "only-" + served, upstream);
      provider.putArray("endpoints").add(served);
      provider.putArray("translate").add("chat").add("messages").add("responses");
    }
    Routed.provider(config, "legacy", upstream).putArray("endpoints").add("completions");
    config.withObject("/budgets").put("assumedOutput", 20);
  }

  final BudgetedKey key(long limit) throws Exception {
    return BudgetedKey.issue(gateway, "streams").tokens(limit);
  }

  static HttpResponse<String> stream(String path, BudgetedKey key, String body) throws Exception {
    HttpResponse<String> answer = key.post(path, body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer;
  }

  static HttpResponse<String> stream(
      String called, String served, BudgetedKey key, boolean remembered) throws Exception {
    String[] headers =
        remembered
            ? new String[] {"x-thread-id", key.id(), "x-resource-id", "someone"}
            : new String[0];
    String member = called.equals("responses") ? "\"input\":" : "\"messages\":";
    // Messages demands a limit; this one is the model's most.
    String limit = called.equals("messages") ? ",\"max_tokens\":150" : "";
    return key.post(
        PATHS.get(called),
        "{\"model\":\"only-%s/m\",\"stream\":true,%s[{\"role\":\"user\",\"content\":\"Count.\"}]%s}"
            .formatted(served, member, limit),
        headers);
  }

  /** The thread has the name of the key. */
  final void assertStored(BudgetedKey key, HttpResponse<String> answer, String text)
      throws Exception {
    assertThat(answer.headers().firstValue("X-Memory-Status")).hasValue("stored");
    HttpResponse<String> stored =
        gateway.send(
            key.request("/v1/memory/threads/%s/messages?resourceId=someone".formatted(key.id())));
    assertThat(stored.body().contains(text.strip())).isTrue();
  }

  static String chunk(String choice) {
    return "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":["
        + choice
        + "]}\n\n";
  }

  /** The text of a stream that keeps every rule of its format. */
  static String checked(String format, String body) throws Exception {
    StringBuilder text = new StringBuilder();
    switch (format) {
      case "chat" -> {
        ChatStreamRules unused = ChatStreamRules.of(body);
      }
      case "messages" -> {
        MessagesStreamRules unused = MessagesStreamRules.check(body);
      }
      default -> {
        ResponsesStreamRules rules = new ResponsesStreamRules();
        rules.takeAll(body);
        rules.end();
      }
    }
    for (String line : body.lines().filter(each -> each.startsWith("data: {")).toList()) {
      JsonNode event = JSON.readTree(line.substring("data: ".length()));
      text.append(event.at("/choices/0/delta/content").asText(""));
      text.append(event.at("/delta/text").asText(""));
      if (event.path("type").asText().equals("response.output_text.delta")) {
        text.append(event.path("delta").asText());
      }
    }
    return text.toString();
  }
}
