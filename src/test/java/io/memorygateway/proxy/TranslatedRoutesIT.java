package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.Answer;
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
}
