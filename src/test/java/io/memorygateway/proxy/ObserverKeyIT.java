package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §6: the provider's key does not reach clients by way of observations. */
class ObserverKeyIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .with("OBSERVATION_MODEL", "openai/observer")
          .configured(config -> config.withObject("/observation").put("messageTokens", 100));

  private static final String OBSERVED =
      """
      {"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":
      "<observations>\\nDate: November 25, 2026\\n* 🔴 (09:30) Likes tea, and was told KEY\\n</observations>"}}]}
      """;

  @Test
  void aKeyThatTheObserversModelEchoesIsMasked() throws Exception {
    UPSTREAM.answerAlways(Answer.json(OBSERVED.replace("KEY", TestGateway.PROVIDER_KEY)));
    GATEWAY.post("/v1/memory/threads", "{\"id\":\"t\",\"resourceId\":\"r\"}");
    String message = "{\"role\":\"user\",\"content\":\"%s\"}".formatted("I like tea. ".repeat(100));
    GATEWAY.post("/v1/memory/threads/t/messages", "{\"messages\":[" + message + "]}");

    await().until(() -> record().contains("Likes tea"));

    assertThat(record()).contains("was told ***").doesNotContain(TestGateway.PROVIDER_KEY);
  }

  private static String record() throws Exception {
    return GATEWAY.get("/v1/memory/threads/t/observations/record").body();
  }
}
