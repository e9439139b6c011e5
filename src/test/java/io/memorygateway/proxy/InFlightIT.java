package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawAnswer;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Contract §4: shares of what is in flight. The node has 40 threads, of which requests hold 30, one
 * key 15 and one project 22; the narrow provider has 8 connections, of which callers hold 7, one
 * key 3.
 */
class InFlightIT {
  private static final String REPLY =
      "{\"choices\":[{\"index\":0,\"finish_reason\":\"stop\",\"message\":{\"role\":\"assistant\","
          + "\"content\":\"Hello\"}}]}";
  private static final List<String> HALF_A_STREAM =
      List.of("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"}}]}\n\n");

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                config.withObject("/server").put("maxThreads", 40);
                config.withObject("/concurrency").put("maxWait", "300ms");
                Routed.provider(config, "narrow", UPSTREAM).put("maxConnections", 8);
                Routed.provider(config, "hasty", UPSTREAM).put("firstByteTimeout", "100ms");
                Routed.provider(config, "wide", UPSTREAM);
                Routed.route(config, "either", "narrow/x", "wide/y");
              });

  private final List<RawClient> held = new ArrayList<>();

  private void hold(String key, String model) throws Exception {
    RawClient client = new RawClient(GATEWAY.port());
    held.add(client);
    client.post(Routed.CHAT, key, Routed.body(Routed.CHAT, model, false));
  }

  /** Begins when calls before have given their shares back, which they do after their answers. */
  private void holdUntil(int number, String key, String model, String gauge) throws Exception {
    await().until(() -> metric(gauge) == held.size());
    for (int i = 0; i < number; i++) {
      hold(key, model);
    }
    await().until(() -> metric(gauge) == held.size());
  }

  private static RawAnswer call(String key, String model) throws IOException {
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post(Routed.CHAT, key, Routed.body(Routed.CHAT, model, false));
      return RawAnswer.parse(client.readAnswer());
    }
  }

  private static void refused(RawAnswer answer, String message) {
    assertThat(ErrorEnvelope.check(answer, 503, "service_unavailable").path("message").textValue())
        .isEqualTo(message);
    assertThat(answer.header("Retry-After")).isEqualTo("1");
  }

  private static double metric(String series) throws Exception {
    return GATEWAY
        .send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/metrics")))
        .body()
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  private static String connections(String provider) {
    return "memory_gateway_llm_connections{provider=\"" + provider + "\",state=\"held\"}";
  }

  private static final String IN_FLIGHT = "memory_gateway_requests_in_work{state=\"in_flight\"}";

  private static void hangIfTold() {
    UPSTREAM.answer(
        request -> request.text().contains("hang") ? Answer.hang() : Answer.json(REPLY));
  }

  @AfterEach
  void everyShareIsGivenBack() throws Exception {
    for (RawClient client : held) {
      client.reset();
    }
    for (String gauge : List.of(connections("narrow"), connections("wide"), IN_FLIGHT)) {
      await().until(() -> metric(gauge) == 0);
    }
  }

  @Test
  void aKeyHoldsItsShareOfAProviderAndOthersAreServed() throws Exception {
    hangIfTold();
    holdUntil(3, GATEWAY.key(), "narrow/hang", connections("narrow"));

    refused(
        call(GATEWAY.key(), "narrow/x"),
        "This key or its project has as many calls to the provider in flight as it may have;"
            + " try again.");
    assertThat(call(GATEWAY.issueKey("other"), "narrow/x").status()).isEqualTo(200);
    assertThat(call(GATEWAY.key(), "wide/x").status()).isEqualTo(200);

    // A route goes on to its next target, and none of its targets is to blame.
    assertThat(call(GATEWAY.key(), "either").status()).isEqualTo(200);
    assertThat(UPSTREAM.requests()).last().matches(sent -> sent.path().startsWith("/wide"));
    assertThat(GATEWAY.task("circuit").toString()).doesNotContain("open\"");
    assertThat(
            metric(
                "memory_gateway_llm_connections_refused_total{because_of=\"key\",provider=\"narrow\"}"))
        .isEqualTo(2);
  }

  @Test
  void whereAllConnectionsAreTakenACallIsToldSo() throws Exception {
    hangIfTold();
    for (Map.Entry<String, Integer> each : Map.of("one", 3, "two", 3, "three", 1).entrySet()) {
      holdUntil(
          each.getValue(), GATEWAY.issueKey(each.getKey()), "narrow/hang", connections("narrow"));
    }

    refused(
        call(GATEWAY.key(), "narrow/x"), "All connections to the provider are in use; try again.");
    assertThat(call(GATEWAY.key(), "wide/x").status()).isEqualTo(200);
  }

  @Test
  void theNodeAnswersOthersWhateverCallersHold() throws Exception {
    hangIfTold();
    String sibling = GATEWAY.issueKey("test");
    String other = GATEWAY.issueKey("other");
    holdUntil(15, GATEWAY.key(), "wide/hang", IN_FLIGHT);
    refused(
        call(GATEWAY.key(), "wide/x"),
        "This key has as many requests in flight as one key may have; try again.");
    holdUntil(7, sibling, "wide/hang", IN_FLIGHT);
    refused(
        call(sibling, "wide/x"),
        "This project has as many requests in flight as one project may have; try again.");
    assertThat(call(other, "wide/x").status()).isEqualTo(200);
    assertThat(get(other, "/v1/memory/threads").status()).isEqualTo(200);

    holdUntil(8, other, "wide/hang", IN_FLIGHT);
    refused(
        get(GATEWAY.issueKey("third"), "/v1/models"),
        "This node has as many requests in flight as it may have; try again.");
    assertThat(get("", "/health-check").status()).isEqualTo(200);
    assertThat(get("msk_no-key", "/v1/models").status()).isEqualTo(401);
    assertThat(
            GATEWAY
                .send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/admin/api/me")))
                .statusCode())
        .isEqualTo(200);
    assertThat(metric("memory_gateway_overload_refused_total{because_of=\"node\"}")).isPositive();
  }

  private static RawAnswer get(String key, String path) throws IOException {
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.send(
          "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n"
              .formatted(path, key));
      return RawAnswer.parse(client.readAnswer());
    }
  }

  @Test
  void everyEndOfACallGivesItsSharesBack() throws Exception {
    List<Answer> ends =
        List.of(
            Answer.json(REPLY),
            Answer.json(500, "{}"),
            Answer.reset(),
            Answer.close(),
            Answer.garbage(),
            Answer.resetInBody(),
            Answer.sse(HALF_A_STREAM),
            Answer.sseThen(HALF_A_STREAM, Answer.reset()));
    for (boolean stream : new boolean[] {false, true}) {
      for (String model : List.of("narrow/x", "either")) {
        for (Answer end : ends) {
          UPSTREAM.answerAlways(end);
          GATEWAY.post(Routed.CHAT, Routed.body(Routed.CHAT, model, stream));
        }
      }
    }
    UPSTREAM.answerAlways(Answer.hang());
    assertThat(call(GATEWAY.key(), "hasty/x").status()).isEqualTo(504);
    assertThat(metric(connections("hasty"))).isZero();
    await().until(() -> metric(connections("narrow")) == 0);

    UPSTREAM.answerAlways(Answer.sseThen(HALF_A_STREAM, Answer.hang()));
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post(Routed.CHAT, GATEWAY.key(), Routed.body(Routed.CHAT, "narrow/x", true));
      client.readUntil("Hello");
      assertThat(metric(connections("narrow"))).isEqualTo(1);
      client.reset();
    }
  }
}
