package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.proxy.Routed.Script;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import io.memorygateway.testing.TestTimeout;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §10: streams of routes are held until they say something, and not a moment longer. */
class HeldStreamIT {
  private static final String ERROR = "data: {\"error\":{\"message\":\"overloaded\"}}\n\n";
  private static final String ERROR_EVENT =
      "event: error\n"
          + "data:"
          + " {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"overloaded\"}}\n\n";

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                Routed.provider(config, "one", UPSTREAM);
                Routed.provider(config, "hasty", UPSTREAM).put("firstByteTimeout", "400ms");
                Routed.provider(config, "two", UPSTREAM);
                Routed.route(config, "r", "one/bad", "two/good");
                Routed.route(config, "h", "hasty/bad", "two/good");
                Routed.route(config, "l", "one/left", "two/good");
              });

  static final List<String> ENDPOINTS = Routed.ENDPOINTS;

  @org.junit.jupiter.api.BeforeEach
  void closeCircuits() throws Exception {
    for (String target : List.of("one&model=bad", "two&model=good", "hasty&model=bad")) {
      GATEWAY.task("circuit?state=closed&provider=" + target);
    }
  }

  /** Faults before any content, for each endpoint. */
  static Stream<Arguments> faults() throws Exception {
    Stream.Builder<Arguments> all = Stream.builder();
    for (String path : ENDPOINTS) {
      List<String> start = start(path);
      String error = path.equals(Routed.CHAT) ? ERROR : ERROR_EVENT;
      all.add(Arguments.of("r", path, "error first", Answer.sse(List.of(error))));
      all.add(Arguments.of("r", path, "error after the start", Answer.sse(with(start, error))));
      all.add(
          Arguments.of("r", path, "cut after the start", Answer.sseThen(start, Answer.reset())));
      all.add(Arguments.of("r", path, "ended after the start", Answer.sse(start)));
      all.add(
          Arguments.of("h", path, "silent after the start", Answer.sseThen(start, Answer.hang())));
      all.add(Arguments.of("r", path, "nothing at all", Answer.sse(List.of())));
      all.add(Arguments.of("h", path, "no head", Answer.hang()));
    }
    return all.build();
  }

  @ParameterizedTest
  @FieldSource("ENDPOINTS")
  void commentsAreSentOnAtOnceAndCommitToNoTarget(String path) throws Exception {
    Semaphore gate = new Semaphore(1);
    UPSTREAM.answer(
        new Script()
            .on("bad", Answer.sse(List.of(": working\r\n\r\n", ": it does\n\n", ERROR), gate)));

    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post(path, GATEWAY.key(), Routed.body(path, "r", true));
      String head = client.readUntil(": working");
      assertThat(head).contains("200 OK").containsIgnoringCase("X-Gateway-Target: one/bad");
      gate.release();
      client.readUntil(": it does");
      assertThat(UPSTREAM.requests()).hasSize(1);
      gate.release();
      List<String> events = Routed.canned(path, "good", true).events();
      String rest = client.readUntil(events.get(events.size() - 1).strip());
      assertThat(rest).doesNotContain("overloaded");
    }
    assertThat(UPSTREAM.requests()).hasSize(2);
  }

  @ParameterizedTest
  @FieldSource("ENDPOINTS")
  void commentsBehindHeldEventsAreSentOnBeforeThem(String path) throws Exception {
    List<String> start = start(path);
    List<String> events = new ArrayList<>(start);
    events.add(": working\n\n");
    events.addAll(Routed.canned(path, "bad", true).events().subList(start.size(), 4));
    Semaphore gate = new Semaphore(start.size() + 1);
    UPSTREAM.answer(new Script().on("bad", Answer.sse(events, gate)));

    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post(path, GATEWAY.key(), Routed.body(path, "r", true));
      assertThat(client.readUntil(": working")).doesNotContain("data:");
      gate.release(events.size());
      client.readUntil("Hello");
    }
  }

  @ParameterizedTest
  @FieldSource("ENDPOINTS")
  void commentsWithoutEndAreBounded(String path) throws Exception {
    UPSTREAM.answer(new Script().on("bad", Answer.sseThen(List.of(), HeldStreamIT::comments)));

    HttpResponse<String> answer = Routed.call(GATEWAY, path, "r", true);

    assertThat(answer.statusCode()).isEqualTo(200);
    String good = String.join("", Routed.canned(path, "good", true).events());
    assertThat(answer.body()).startsWith(": waiting").endsWith("\n\n" + good);
    assertThat(answer.body().length()).isLessThan(400_000);
    assertThat(UPSTREAM.requests()).hasSize(2);
  }

  @ParameterizedTest
  @FieldSource("ENDPOINTS")
  void ifAllFailBehindCommentsTheFirstErrorIsTheLastEvent(String path) throws Exception {
    String error = path.equals(Routed.CHAT) ? ERROR : ERROR_EVENT;
    UPSTREAM.answer(
        new Script()
            .on("bad", Answer.sse(List.of(": one\n\n", error)))
            .on("good", Answer.error(503, "server_error", "the second")));

    HttpResponse<String> answer = Routed.call(GATEWAY, path, "r", true);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("X-Gateway-Target")).contains("one/bad");
    assertThat(answer.body())
        .startsWith(": one\n\n")
        .contains("overloaded", "error")
        .doesNotContain("the second", "[DONE]", "message_stop", "response.completed")
        .endsWith("}\n\n");
    assertThat(UPSTREAM.requests()).hasSize(2);
  }

  @Test
  void theGatewaysOwnErrorBehindCommentsNamesTheFirstProvider() throws Exception {
    UPSTREAM.answer(
        new Script()
            .on("bad", Answer.sseThen(List.of(": one\n\n"), Answer.reset()))
            .on("good", Answer.reset()));

    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.CHAT, "r", true);

    assertThat(answer.body())
        .startsWith(": one\n\ndata: {\"error\":")
        .contains("The provider 'one' could not be used", "upstream_error");
  }

  @Test
  void aClientThatLeavesBehindCommentsCancelsTheStream() throws Exception {
    UPSTREAM.answer(new Script().on("bad", Answer.sseThen(List.of(": one\n\n"), Answer.hang())));
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post(Routed.CHAT, GATEWAY.key(), Routed.body(Routed.CHAT, "r", true));
      client.readUntil(": one");
    }
    UPSTREAM.requests().get(0).clientLeft().get(TestTimeout.SECONDS, TimeUnit.SECONDS);

    await()
        .untilAsserted(
            () ->
                assertThat(GATEWAY.task("circuit?provider=one&model=bad").toString())
                    .contains("\"inFlight\":0", "\"failures\":0"));
    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  /**
   * Contract §15: it counts with its input, however the gateway learns that the caller has left.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aStreamThatIsLeftBehindCommentsIsLoggedOnceWithItsInput(boolean watched) throws Exception {
    DATABASE
        .jdbi()
        .useHandle(handle -> handle.execute("DELETE FROM request_log WHERE model = 'left'"));
    List<String> start = with(start(Routed.CHAT), ": one\n\n");
    Semaphore gate = new Semaphore(0);
    Answer more =
        exchange -> {
          gate.acquireUninterruptibly();
          comments(exchange);
        };
    UPSTREAM.answer(new Script().on("left", Answer.sseThen(start, watched ? Answer.hang() : more)));
    RawClient client = new RawClient(GATEWAY.port());
    client.post(Routed.CHAT, GATEWAY.key(), Routed.body(Routed.CHAT, "l", true));
    client.readUntil(": one");
    if (!watched) {
      // Who sends the next request ahead is not watched any longer.
      client.send("P");
    }
    client.reset();
    gate.release();

    await().until(() -> !rows().isEmpty());
    await()
        .until(
            () ->
                GATEWAY
                    .task("circuit?provider=one&model=left")
                    .toString()
                    .contains("\"inFlight\":0"));
    assertThat(Routed.call(GATEWAY, Routed.CHAT, "r", false).statusCode()).isEqualTo(200);
    assertThat(rows()).containsExactly("499 estimated true");
    assertThat(UPSTREAM.requests()).hasSize(2);
  }

  private static List<String> rows() {
    return DATABASE
        .jdbi()
        .withHandle(
            handle ->
                handle
                    .createQuery(
                        "SELECT CONCAT(status, ' ', COALESCE(counted, '-'), ' ',"
                            + " IF(input_tokens > 0, 'true', 'false'))"
                            + " FROM request_log WHERE model = 'left'")
                    .mapTo(String.class)
                    .list());
  }

  private static void comments(io.memorygateway.testing.Exchange exchange)
      throws java.io.IOException {
    while (true) {
      exchange.chunk((": waiting" + " ".repeat(1000) + "\n\n").repeat(10));
    }
  }

  @ParameterizedTest(name = "{1}: {2}")
  @MethodSource("faults")
  void aStreamThatFailsBeforeItSaysAnythingIsAnsweredByTheNextTarget(
      String route, String path, String name, Answer fault) throws Exception {
    UPSTREAM.answer(new Script().on("bad", fault));

    HttpResponse<String> answer = Routed.call(GATEWAY, path, route, true);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body())
        .isEqualTo(String.join("", Routed.canned(path, "good", true).events()));
    assertThat(answer.headers().firstValue("X-Gateway-Target")).contains("two/good");
    await().until(() -> UPSTREAM.requests().size() == 2); // The hasty may not wait for its arrival.
  }

  @ParameterizedTest
  @FieldSource("ENDPOINTS")
  void whatWasHeldGoesOutByteForByte(String path) throws Exception {
    List<String> events = Routed.canned(path, "bad", true).events();
    String odd =
        ": a comment\r\n\r\n"
            + String.join("", events.subList(0, 1)).replace("\n", "\r\n")
            + String.join("", events.subList(1, events.size()));
    UPSTREAM.answer(
        new Script()
            .on(
                "bad",
                Answer.sse(
                    IntStream.range(0, odd.length())
                        .mapToObj(i -> odd.substring(i, i + 1))
                        .toList())));

    HttpResponse<String> answer = Routed.call(GATEWAY, path, "r", true);

    assertThat(answer.body()).startsWith(odd.substring(0, odd.length() - 20));
    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  @ParameterizedTest
  @FieldSource("ENDPOINTS")
  void afterTheFirstContentAFailureIsAnErrorEventAndNeverASwitch(String path) throws Exception {
    List<String> events = Routed.canned(path, "bad", true).events();
    int content =
        IntStream.range(0, events.size())
            .filter(i -> events.get(i).contains("Hello"))
            .findFirst()
            .orElseThrow();
    UPSTREAM.answer(
        new Script().on("bad", Answer.sseThen(events.subList(0, content + 1), Answer.reset())));

    HttpResponse<String> answer = Routed.call(GATEWAY, path, "r", true);

    assertThat(answer.body())
        .startsWith(String.join("", events.subList(0, content + 1)))
        .contains("upstream_error")
        .doesNotContain("[DONE]", "message_stop", "response.completed");
    assertThat(UPSTREAM.requests()).hasSize(1);
    assertThat(answer.headers().firstValue("X-Gateway-Attempts")).contains("one/bad=200");
  }

  @Test
  void theFirstContentIsOnTheWireAtOnce() throws Exception {
    List<String> events = Routed.canned(Routed.CHAT, "bad", true).events();
    Semaphore gate = new Semaphore(2);
    UPSTREAM.answer(new Script().on("bad", Answer.sse(events, gate)));

    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post(Routed.CHAT, GATEWAY.key(), Routed.body(Routed.CHAT, "r", true));
      client.readUntil("Hello");
      gate.release(events.size());
      client.readUntil("[DONE]");
    }
  }

  @Test
  void aStreamOfStartUpEventsIsSentOnAfterSixtyFour() throws Exception {
    String role = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]}\n\n";
    Answer silent = Answer.sseThen(Collections.nCopies(64, role), Answer.hang());
    UPSTREAM.answer(new Script().on("bad", silent));

    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post(Routed.CHAT, GATEWAY.key(), Routed.body(Routed.CHAT, "r", true));
      for (int i = 0; i < 64; i++) {
        client.readUntil(role.strip());
      }
    }
    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  @Test
  void ifAllFailBeforeTheyStartTheFirstErrorIsAnsweredAsJson() throws Exception {
    UPSTREAM.answerAlways(Answer.sse(with(start(Routed.MESSAGES), ERROR_EVENT)));

    HttpResponse<String> answer = Routed.call(GATEWAY, Routed.MESSAGES, "r", true);

    assertThat(answer.statusCode()).isEqualTo(502);
    assertThat(answer.body()).contains("overloaded_error", "\"type\":\"error\"");
    assertThat(answer.headers().firstValue("content-type")).contains("application/json");
    assertThat(UPSTREAM.requests()).hasSize(2);
  }

  @Test
  void aClientThatLeavesWhileAStreamIsHeldCancelsIt() throws Exception {
    UPSTREAM.answer(new Script().on("bad", Answer.sseThen(start(Routed.CHAT), Answer.hang())));
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post(Routed.CHAT, GATEWAY.key(), Routed.body(Routed.CHAT, "r", true));
      await().until(() -> UPSTREAM.requests().size() == 1);
    }
    UPSTREAM.requests().get(0).clientLeft().get(TestTimeout.SECONDS, TimeUnit.SECONDS);

    assertThat(UPSTREAM.requests()).hasSize(1);
    await()
        .untilAsserted(
            () ->
                assertThat(GATEWAY.task("circuit?provider=one&model=bad").toString())
                    .contains("\"inFlight\":0", "\"failures\":0"));
  }

  @Test
  void withoutARouteNothingIsHeld() throws Exception {
    List<String> events = Routed.canned(Routed.CHAT, "gpt-5", true).events();
    Semaphore gate = new Semaphore(1);
    UPSTREAM.answerAlways(Answer.sse(events, gate));

    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post(Routed.CHAT, GATEWAY.key(), Routed.body(Routed.CHAT, "gpt-5", true));
      client.readUntil(events.get(0).strip());
      gate.release(events.size());
      client.readUntil("[DONE]");
    }
  }

  private static List<String> start(String path) throws Exception {
    return Routed.canned(path, "bad", true).events().stream()
        .takeWhile(event -> !event.contains("Hello"))
        .toList();
  }

  private static List<String> with(List<String> events, String last) {
    return Stream.concat(events.stream(), Stream.of(last)).collect(Collectors.toList());
  }
}
