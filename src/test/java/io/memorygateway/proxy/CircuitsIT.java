package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.proxy.Routed.Script;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §10: a target that has failed is spared for a while, or as an operator says. */
class CircuitsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                Routed.exactLimits(config);
                Routed.provider(config, "one", UPSTREAM);
                Routed.provider(config, "two", UPSTREAM);
                Routed.route(config, "r", "one/bad", "two/good");
                Routed.route(config, "waits", "one/waits");
              });

  @BeforeEach
  void closeCircuits() throws Exception {
    for (String target : List.of("one&model=bad", "two&model=good", "one&model=waits")) {
      GATEWAY.task("circuit?state=closed&provider=" + target);
    }
  }

  @Test
  void circuitsAreShownAndSetByHand() throws Exception {
    GATEWAY.task("circuit?provider=one&model=bad&state=open");

    assertThat(
            Routed.call(GATEWAY, Routed.CHAT, "r", false)
                .headers()
                .firstValue("X-Gateway-Attempts"))
        .contains("two/good=200");
    assertThat(GATEWAY.task("circuit").get(0).path("state").asText()).isEqualTo("forced_open");
    assertThat(metric("memory_gateway_llm_circuit_open{target=\"one/bad\"} ")).isEqualTo(1);
    assertThat(metric("memory_gateway_llm_circuit_open_for_all{target=\"one/bad\"} ")).isEqualTo(1);
    String health = admin("/healthcheck");
    assertThat(health).contains("1 of 3 circuits are open", "\"one/bad\"");
    HttpResponse<String> unknown =
        GATEWAY.send(
            HttpRequest.newBuilder(
                    URI.create(
                        GATEWAY.adminUrl() + "/tasks/circuit?provider=one&model=x&state=open"))
                .POST(HttpRequest.BodyPublishers.noBody()));
    assertThat(unknown.statusCode()).isEqualTo(404);
  }

  @Test
  void threeFailuresOpenTheCircuitAndItsTargetIsSpared() throws Exception {
    UPSTREAM.answer(new Script().on("bad", Answer.error(503, "server_error", "no")));
    for (int i = 0; i < 3; i++) {
      Routed.call(GATEWAY, Routed.CHAT, "r", i == 1);
    }

    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.CHAT, "r", false);

    assertThat(answer.headers().firstValue("X-Gateway-Attempts")).contains("two/good=200");
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 402, 403, 429})
  void whatIsRefusedToACallersOwnKeyIsNobodyElsesMatter(int status) throws Exception {
    UPSTREAM.answer(
        new Script()
            .on(
                "waits",
                Answer.json(status, "{\"error\":{\"message\":\"your key\"}}")
                    .header("Retry-After", "600")));
    for (int i = 0; i < 3; i++) {
      assertThat(ownKey().statusCode()).isEqualTo(status);
    }
    assertThat(state()).isEqualTo("closed");

    UPSTREAM.answer(
        new Script()
            .on(
                "waits",
                Answer.json(429, "{\"error\":{\"message\":\"no\"}}").header("Retry-After", "600")));
    assertThat(Routed.call(GATEWAY, Routed.CHAT, "waits", false).statusCode()).isEqualTo(429);
    assertThat(state()).isEqualTo("open");
    UPSTREAM.reset();
    assertThat(ownKey().statusCode()).isEqualTo(200);
    assertThat(state()).isEqualTo("open");
  }

  private static HttpResponse<String> ownKey() throws Exception {
    return GATEWAY.send(
        HttpRequest.newBuilder(URI.create(GATEWAY.url() + Routed.CHAT))
            .header("X-Memory-Gateway-Authorization", "Bearer " + GATEWAY.key())
            .header("Authorization", "Bearer sk-callers-own")
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(Routed.body(Routed.CHAT, "waits", false))));
  }

  private static String state() throws Exception {
    return GATEWAY.task("circuit?provider=one&model=waits").at("/circuit/state").asText();
  }

  @Test
  void aStreamThatBreaksOffAfterItsStartCountsAgainstItsTarget() throws Exception {
    UPSTREAM.answer(
        new Script()
            .on(
                "bad",
                Answer.sseThen(
                    List.of(
                        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"}}]}\n\n"),
                    Answer.reset())));
    for (int i = 0; i < 3; i++) {
      assertThat(Routed.call(GATEWAY, Routed.CHAT, "r", true).body()).contains("upstream_error");
    }

    await()
        .until(
            () ->
                GATEWAY
                    .task("circuit?provider=one&model=bad")
                    .at("/circuit/state")
                    .asText()
                    .equals("open"));
  }

  private static double metric(String series) throws Exception {
    return admin("/metrics")
        .lines()
        .filter(line -> line.startsWith(series))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length())))
        .sum();
  }

  private static String admin(String path) throws Exception {
    return GATEWAY.send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + path))).body();
  }
}
