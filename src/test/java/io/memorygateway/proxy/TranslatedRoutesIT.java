package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §14: what an answer says of a call that was attempted more than once. */
class TranslatedRoutesIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                for (String served : new String[] {"chat", "messages"}) {
                  ObjectNode provider = Routed.provider(config, "only-" + served, UPSTREAM);
                  provider.putArray("endpoints").add(served);
                  provider.putArray("translate").add("chat").add("messages");
                }
                Routed.route(
                    config, "unnamed", "only-chat/bad-unnamed", "only-messages/good-unnamed");
                Routed.route(
                    config,
                    "three",
                    "only-chat/bad-n",
                    "only-messages/other-n",
                    "only-chat/good-n");
                Routed.route(config, "two", "only-chat/bad-2", "only-messages/other-2");
                Routed.route(config, "turned", "only-messages/other-t", "only-chat/good-t");
                Routed.route(config, "neither", "only-messages/other-3", "only-messages/other-4");
                Routed.route(config, "blank", "only-chat/bad-blank", "only-chat/good-blank");
              });

  @Test
  void anAnswerThatNamesNoModelIsOfTheTargetThatAnswered() throws Exception {
    UPSTREAM.answer(
        new Routed.Script()
            .on("bad-unnamed", Answer.json(500, "{}"))
            .on("good-unnamed", Answer.json(200, "{\"content\":[]}")));

    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.CHAT, "unnamed", false);

    assertThat(answer.headers().firstValue("X-Gateway-Target"))
        .hasValue("only-messages/good-unnamed");
    assertThat(JSON.readTree(answer.body()).path("model").asText())
        .as(answer.body())
        .isEqualTo("good-unnamed");
  }

  /** Two answers cannot be asked of Messages: the call goes on behind that target. */
  @Test
  void aTargetThatCannotBeAskedIsLeftOut() throws Exception {
    UPSTREAM.answer(
        new Routed.Script()
            .on("bad-n", Answer.json(500, "{}"))
            .on("bad-2", Answer.error(503, "overloaded", "Later.")));

    HttpResponse<String> third = GATEWAY.post(Routed.CHAT, twice("three"));
    assertThat(third.statusCode()).as(third.body()).isEqualTo(200);
    assertThat(third.headers().firstValue("X-Gateway-Attempts"))
        .hasValue("only-chat/bad-n=500, only-chat/good-n=200");

    HttpResponse<String> none = GATEWAY.post(Routed.CHAT, twice("two"));
    assertThat(none.statusCode()).isEqualTo(503);
    assertThat(none.body()).contains("Later.");
    assertThat(none.headers().firstValue("X-Gateway-Attempts")).hasValue("only-chat/bad-2=503");

    HttpResponse<String> second = GATEWAY.post(Routed.CHAT, twice("turned"));
    assertThat(second.headers().firstValue("X-Gateway-Attempts")).hasValue("only-chat/good-t=200");

    HttpResponse<String> neither = GATEWAY.post(Routed.CHAT, twice("neither"));
    assertThat(neither.statusCode()).isEqualTo(400);
    assertThat(neither.body()).contains("n cannot be asked");
  }

  private static String twice(String model) {
    return "{\"model\":\"%s\",\"n\":2,\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}"
        .formatted(model);
  }

  @Test
  void reasoningThatIsLeftOutOfASecondAttemptIsNamed() throws Exception {
    String seal = new Seal("only-chat", Shape.CHAT, "{\"reasoning_content\":\"hm\"}").text();
    String call =
        """
        {"model":"only-chat/thoughts","max_tokens":50,"messages":[{"role":"user","content":"x"},
         {"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"%s"},
           {"type":"text","text":"said"}]},{"role":"user","content":"more"}]}
        """
            .formatted(seal);
    UPSTREAM.answer(
        request ->
            request.text().contains("reasoning_content")
                ? Answer.error(400, "invalid_request_error", "reasoning_content is unsupported")
                : CannedReplies.answer(request));

    HttpResponse<String> answer =
        Routed.call(GATEWAY, Routed.MESSAGES, call, "x-thread-id", "t", "x-resource-id", "r");

    assertThat(answer.headers().firstValue("X-Gateway-Attempts"))
        .hasValue("only-chat/thoughts=400, only-chat/thoughts=200");
    assertThat(answer.headers().firstValue("X-Gateway-Dropped")).hasValue("reasoning");
  }

  @Test
  void reasoningThatSaysNothingIsLeftOutWithoutAWord() throws Exception {
    UPSTREAM.answer(new Routed.Script().on("bad-blank", Answer.json(500, "{}")));
    String call =
        """
        {"model":"blank","messages":[{"role":"user","content":"x"},
         {"role":"assistant","content":"said","reasoning_content":""},
         {"role":"user","content":"more"}]}
        """;

    HttpResponse<String> answer = GATEWAY.post(Routed.CHAT, call);

    assertThat(answer.headers().firstValue("X-Gateway-Target")).hasValue("only-chat/good-blank");
    assertThat(answer.headers().firstValue("X-Gateway-Dropped")).isEmpty();
  }
}
