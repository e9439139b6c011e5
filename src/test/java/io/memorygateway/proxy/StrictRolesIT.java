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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
                chat(config, "loose").put("strictRoles", false);
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

  /** Words of chat templates as servers tell them: vLLM, llama.cpp, LM Studio, Mistral's API. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "400; {`error`:{`message`:`System message must be at the beginning.`,`code`:400}}",
        "500; {`error`:{`code`:500,`message`:`While executing CallExpression at line 19, column 27"
            + " in source: Error: Jinja Exception: Conversation roles must alternate"
            + " user/assistant/user/assistant/...`,`type`:`server_error`}}",
        "400; {`error`:`Error rendering prompt with jinja template: After the optional system"
            + " message, conversation roles must alternate user/assistant`}",
        "404; {`error`:`System message must be at the beginning.`}",
        "400; {`object`:`error`,`message`:`Expected last role User or Tool (or Assistant with"
            + " prefix True) for serving but got assistant`,`code`:`3230`}"
      })
  void whatIsRefusedForItsRolesIsAskedInStricterOnes(int status, String words) throws Exception {
    String model = "free/learnt-" + words.hashCode();
    UPSTREAM.enqueue(Answer.json(status, words.replace('`', '"')));

    HttpResponse<String> first = GATEWAY.post(Routed.MESSAGES, messages(model));
    HttpResponse<String> second = GATEWAY.post(Routed.MESSAGES, messages(model));

    assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
    assertThat(first.headers().firstValue("X-Gateway-Attempts"))
        .hasValue(model + "=" + status + ", " + model + "=200");
    assertThat(second.headers().firstValue("X-Gateway-Attempts")).hasValue(model + "=200");
    assertThat(roles(UPSTREAM.takeRequest())).containsExactly("system", "user", "user");
    for (int i = 0; i < 2; i++) {
      assertThat(roles(UPSTREAM.takeRequest())).containsExactly("system", "user");
    }
  }

  /** Of a server whose model does not say whose it is: ids, and a word between result and user. */
  @Test
  void whatIsRefusedInStrictRolesIsAskedAsOfMistral() throws Exception {
    Answer refusal = Answer.error(400, "invalid", "Unexpected role 'user' after role 'tool'");
    UPSTREAM.enqueue(refusal, refusal);

    assertThat(GATEWAY.post(Routed.MESSAGES, withResults("free/coder")).statusCode())
        .isEqualTo(200);

    assertThat(roles(UPSTREAM.takeRequest()))
        .containsExactly("user", "assistant", "tool", "user", "user");
    assertThat(roles(UPSTREAM.takeRequest())).containsExactly("user", "assistant", "tool", "user");
    RecordedRequest last = UPSTREAM.takeRequest();
    assertThat(roles(last)).containsExactly("user", "assistant", "tool", "assistant", "user");
    assertThat(last.json().at("/messages/2/tool_call_id").asText()).matches("[a-z0-9]{9}");
  }

  /** Of Anthropic's models older ones refuse the role, and newer ones an answer that is begun. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "older; system; user assistant; role 'system' is not supported on this model",
        "newer; assistant; user assistant user; This model does not support assistant message"
            + " prefill. The conversation must end with a user message."
      })
  void whatAModelOfMessagesRefusesIsAskedOtherwise(
      String name, String role, String asked, String words) throws Exception {
    String call =
        chat(
            "only-messages/" + name,
            message("user", "a"),
            message(role, "b"),
            message("assistant", "c"));
    UPSTREAM.enqueue(Answer.error(400, "invalid_request_error", words));

    for (int i = 0; i < 2; i++) {
      HttpResponse<String> answer = GATEWAY.post(ThreadCaller.CHAT, call);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    assertThat(UPSTREAM.requests()).hasSize(3);
    for (RecordedRequest taken : UPSTREAM.requests().subList(1, 3)) {
      assertThat(String.join(" ", roles(taken))).isEqualTo(asked);
    }
  }

  private static String withResults(String model) {
    return """
        {"model":"%s","max_tokens":9,"messages":[{"role":"user","content":"a"},
         {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"f","input":{}}]},
         {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"r"},
           {"type":"text","text":"b"}]},{"role":"user","content":"c"}]}
        """
        .formatted(model);
  }

  /** What is in no roles as the server wants it is told, and not held against the server. */
  @Test
  void aRefusalThatStaysIsToldAndForgotten() throws Exception {
    Answer refusal = Answer.error(400, "invalid", "System message must be at the beginning.");
    UPSTREAM.enqueue(refusal, refusal);

    HttpResponse<String> answer = GATEWAY.post(Routed.MESSAGES, messages("free/never"));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("must be at the beginning");
    assertThat(UPSTREAM.requests()).hasSize(2);

    GATEWAY.post(Routed.MESSAGES, messages("free/never"));
    assertThat(roles(UPSTREAM.requests().get(2))).containsExactly("system", "user", "user");
  }

  /** Roles that were refused too teach nothing, even if each attempt had others. */
  @Test
  void whatDidNotHelpIsNotHeldAgainstTheServer() throws Exception {
    Answer refusal = Answer.error(400, "invalid", "Unexpected role 'user' after role 'tool'");
    UPSTREAM.enqueue(refusal, refusal, refusal);

    String call = withResults("free/helpless");
    assertThat(GATEWAY.post(Routed.MESSAGES, call).statusCode()).isEqualTo(400);
    assertThat(UPSTREAM.requests()).hasSize(3);

    assertThat(GATEWAY.post(Routed.MESSAGES, call).statusCode()).isEqualTo(200);
    assertThat(roles(UPSTREAM.requests().get(3)))
        .containsExactly("user", "assistant", "tool", "user", "user");
  }

  @Test
  void settingsDecide() throws Exception {
    UPSTREAM.enqueue(Answer.error(400, "invalid", "Conversation roles must alternate"));

    assertThat(GATEWAY.post(Routed.MESSAGES, messages("loose/m")).statusCode()).isEqualTo(400);

    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  /** What memory has written of a call of Chat; without memory the caller's bytes stay. */
  @Test
  void whatMemoryHasWrittenIsWrittenAnew() throws Exception {
    ThreadCaller thread = new ThreadCaller(GATEWAY, "native");
    String call = chat("free/native", message("user", "one"), message("user", "two"));
    Answer refusal = Answer.error(500, "server_error", "Jinja Exception: roles must alternate");

    UPSTREAM.enqueue(refusal);
    HttpResponse<String> plain = GATEWAY.post(Routed.CHAT, call);
    assertThat(plain.statusCode()).isEqualTo(500);
    assertThat(UPSTREAM.requests()).hasSize(1);
    UPSTREAM.reset();

    UPSTREAM.enqueue(refusal);
    HttpResponse<String> remembered = thread.call(ThreadCaller.CHAT, call);
    assertThat(remembered.statusCode()).as(remembered.body()).isEqualTo(200);
    assertThat(roles(UPSTREAM.takeRequest())).containsExactly("user", "user");
    assertThat(UPSTREAM.takeRequest().json().at("/messages/0/content").asText())
        .isEqualTo("one\n\ntwo");
    assertThat(thread.stored()).startsWith("user \"one\"", "user \"two\"").hasSize(3);
  }

  /** Of the caller's own, too: without memory its bytes stay. */
  @Test
  void laterSystemMessagesOfACallWithMemoryAreWordsOfTheUser() throws Exception {
    ThreadCaller thread = new ThreadCaller(GATEWAY, "later");
    String call =
        chat(
            "free/later",
            message("system", "a"),
            message("user", "one"),
            message("assistant", "two"),
            message("system", "b"),
            message("user", "three"));
    UPSTREAM.enqueue(Answer.error(400, "invalid", "System message must be at the beginning."));

    HttpResponse<String> answer = thread.call(ThreadCaller.CHAT, call);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(roles(UPSTREAM.takeRequest()))
        .containsExactly("system", "user", "assistant", "system", "user");
    RecordedRequest strict = UPSTREAM.takeRequest();
    assertThat(roles(strict)).containsExactly("system", "user", "assistant", "user");
    assertThat(strict.json().at("/messages/3/content").asText())
        .isEqualTo("<system-message>b</system-message>\n\nthree");
    assertThat(thread.stored()).hasSize(4).noneMatch(message -> message.contains("system"));

    GATEWAY.post(Routed.CHAT, call);
    assertThat(roles(UPSTREAM.takeRequest()))
        .containsExactly("system", "user", "assistant", "system", "user");
  }

  private static String messages(String model) {
    return "{\"model\":\"%s\",\"max_tokens\":9,\"system\":\"s\",\"messages\":[%s,%s]}"
        .formatted(model, message("user", "a"), message("user", "b"));
  }

  private static String chat(String model, String... messages) {
    return "{\"model\":\"%s\",\"messages\":[%s]}".formatted(model, String.join(",", messages));
  }

  private static List<String> roles(RecordedRequest request) {
    return request.json().path("messages").findValuesAsText("role");
  }
}
