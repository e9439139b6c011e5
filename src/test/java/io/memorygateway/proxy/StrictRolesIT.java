package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.message;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §14: calls to servers whose chat templates refuse roles. */
class StrictRolesIT {
  private static final String CALLED =
      """
      {"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"finish_reason":"tool_calls",\
      "message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_of_openai","type":"function",\
      "function":{"name":"f","arguments":"{}"}}]}}]}\
      """;

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                ObjectNode messages = Routed.provider(config, "only-messages", UPSTREAM);
                messages.putArray("endpoints").add("messages");
                messages.putArray("translate").add("chat");
                chat(config, "free");
                chat(config, "strict").put("strictRoles", true);
                Routed.route(
                    config, "each", "only-messages/bad", "free/bad", "strict/bad", "free/devstral");
                config.withObject("/routes/each").put("attempts", 4);
              });

  private static ObjectNode chat(ObjectNode config, String name) {
    ObjectNode provider = Routed.provider(config, name, UPSTREAM);
    provider.putArray("endpoints").add("chat");
    provider.putArray("translate").add("messages");
    return provider;
  }

  /** One after the other: of Messages, of no rules, of strict roles, of Mistral's ids. */
  @Test
  void eachTargetOfARouteGetsItsOwn() throws Exception {
    ThreadCaller thread = new ThreadCaller(GATEWAY, "each");
    UPSTREAM.enqueue(Answer.json(200, CALLED));
    thread.call(ThreadCaller.CHAT, chat("free/m", message("user", "one")));
    UPSTREAM.takeRequest();
    UPSTREAM.answer(new Routed.Script().on("bad", Answer.json(500, "{}")));

    HttpResponse<String> answer =
        thread.call(
            ThreadCaller.CHAT,
            chat(
                "each",
                message("system", "a"),
                message("system", "b"),
                "{\"role\":\"tool\",\"tool_call_id\":\"call_of_openai\",\"content\":\"done\"}",
                message("user", "two"),
                message("user", "three")));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().path()).endsWith("/messages");
    RecordedRequest free = UPSTREAM.takeRequest();
    assertThat(roles(free))
        .containsExactly("system", "system", "user", "assistant", "tool", "user", "user");
    RecordedRequest strict = UPSTREAM.takeRequest();
    assertThat(roles(strict)).containsExactly("system", "user", "assistant", "tool", "user");
    assertThat(strict.json().at("/messages/4/content").asText()).isEqualTo("two\n\nthree");
    RecordedRequest ofMistral = UPSTREAM.takeRequest();
    assertThat(roles(ofMistral))
        .containsExactly(
            "system", "system", "user", "assistant", "tool", "assistant", "user", "user");
    assertThat(List.of(free, strict)).allMatch(sent -> sent.text().contains("call_of_openai"));
    assertThat(ofMistral.text()).doesNotContain("call_of_openai");
    assertThat(ofMistral.json().at("/messages/4/tool_call_id").asText())
        .matches("[a-zA-Z0-9]{9}")
        .isEqualTo(ofMistral.json().at("/messages/3/tool_calls/0/id").asText());
  }

  private static String chat(String model, String... messages) {
    return "{\"model\":\"%s\",\"messages\":[%s]}".formatted(model, String.join(",", messages));
  }

  private static List<String> roles(RecordedRequest request) {
    return request.json().path("messages").findValuesAsText("role");
  }
}
