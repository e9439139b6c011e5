package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.CHAT;
import static io.memorygateway.proxy.ThreadCaller.chat;
import static io.memorygateway.proxy.ThreadCaller.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §8: what a user said in several sessions is known in a new one, by extraction alone. */
class KnownSessionsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                ((ObjectNode) config.get("rateLimits")).putObject("rules");
                config.withObject("/recall").put("tokens", 0).remove("scope");
                config
                    .withObject("/observation")
                    .put("messageTokens", 2_000)
                    .put("observationTokens", 3_000)
                    .put("minShare", 1)
                    .put("pollInterval", "10ms");
              });

  private static final Map<String, String> FACTS =
      Map.of(
          "pets", "My dog is called Rex, he is a beagle of four years.",
          "health", "I am allergic to hazelnuts, so never suggest pralines.",
          "home", "I moved to Ghent in March 2021 with my sister Ines.",
          "work", "I am a nurse at the children's hospital, on night shifts.",
          "music", "I play the cello and my concert is on December 12.");

  @Test
  void theFactsOfAllSessionsGoUpInANewOneUntilTheirSessionIsDeleted() throws Exception {
    for (Map.Entry<String, String> fact : FACTS.entrySet()) {
      String talk =
          IntStream.range(0, 30)
              .mapToObj(i -> i == 7 ? fact.getValue() : smallTalk(fact.getKey(), i))
              .map(text -> message(text.length() % 2 == 0 ? "user" : "assistant", text))
              .reduce((one, other) -> one + "," + other)
              .orElseThrow();
      memory("POST", "/threads", "{\"id\":\"" + fact.getKey() + "\",\"resourceId\":\"ann\"}");
      memory("POST", "/threads/" + fact.getKey() + "/messages", "{\"messages\":[" + talk + "]}");
    }
    await().until(() -> FACTS.values().stream().allMatch(known()::contains));

    assertThat(sentIn("new")).contains(FACTS.values());

    memory("DELETE", "/threads/health", null);
    await().until(() -> !known().contains("hazelnuts"));
    await().until(() -> known().contains("cello"));
    assertThat(sentIn("new")).doesNotContain("hazelnuts").contains("Rex");

    for (String thread : List.of("pets", "home", "work", "music")) {
      memory("DELETE", "/threads/" + thread, null);
    }
    await().until(() -> known().equals("{\"observations\":null}"));
    await().until(() -> !sentIn("new").contains("known-facts"));
  }

  private static String smallTalk(String about, int number) {
    return "Well, let us see what we can do about %s today, said one of us for the %d. time."
        .formatted(about, number);
  }

  private static String known() throws Exception {
    return memory("GET", "/resources/ann/observations", null).body();
  }

  private static String sentIn(String thread) throws Exception {
    HttpResponse<String> answer =
        new ThreadCaller(GATEWAY, thread, "ann").call(CHAT, chat(message("user", "Hello again")));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return UPSTREAM.requests().get(UPSTREAM.requests().size() - 1).text();
  }

  private static HttpResponse<String> memory(String method, String path, String json)
      throws Exception {
    HttpResponse<String> answer =
        GATEWAY.send(
            GATEWAY
                .request("/v1/memory" + path)
                .header("Content-Type", "application/json")
                .method(
                    method,
                    json == null ? BodyPublishers.noBody() : BodyPublishers.ofString(json)));
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 201);
    return answer;
  }
}
