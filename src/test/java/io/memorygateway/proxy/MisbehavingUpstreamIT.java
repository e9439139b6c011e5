package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.CHAT;
import static io.memorygateway.proxy.ThreadCaller.message;
import static io.memorygateway.proxy.ThreadCaller.streamedChat;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.Exchange;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.SharedGateway;
import io.memorygateway.testing.TestGateway;
import io.memorygateway.testing.TestTimeout;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §3, §6 and §7: what upstreams send that they should not. */
class MisbehavingUpstreamIT {
  private static final AtomicInteger THREADS = new AtomicInteger();
  private static final String KEY = TestGateway.PROVIDER_KEY;
  private static final String GOOD =
      "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"fine\"}}]}";
  private static final String STREAM_HEAD =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
  private static final String ENDED_TOO_EARLY =
      "data: {\"error\":{\"message\":\"The upstream ended the stream too early.\",\"type\":\"upstream_error\"}}\n\n";

  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway(UPSTREAM);

  private final ThreadCaller thread =
      new ThreadCaller(GATEWAY, "misbehaving-" + THREADS.incrementAndGet());

  @ParameterizedTest
  @Timeout(TestTimeout.SECONDS)
  @ValueSource(strings = {"many lines", "one line", "a status line"})
  void anAnswerWhoseHeadDoesNotEndIsCutOff(String what) throws Exception {
    AtomicInteger sent = new AtomicInteger();
    UPSTREAM.enqueue(exchange -> sendHead(exchange, what, sent));

    HttpResponse<String> answer = thread.say("hello");

    assertThat(answer.statusCode()).isEqualTo(502);
    assertThat(answer.body()).contains("\"type\":\"upstream_error\"");
    assertThat(thread.stored()).isEmpty();
    UPSTREAM.takeRequest().clientLeft().get(TestTimeout.SECONDS, TimeUnit.SECONDS);
    // The kernel takes some megabytes that nobody reads.
    assertThat(sent.get()).isLessThan(256);
  }

  /** Goes on until the gateway closes. */
  private static void sendHead(Exchange exchange, String what, AtomicInteger sent)
      throws IOException {
    exchange.send(what.equals("a status line") ? "HTTP/1.1 200 " : "HTTP/1.1 200 OK\r\nX-Long: ");
    String part =
        what.equals("many lines")
            ? ("a".repeat(1013) + "\r\nX-More: ").repeat(64)
            : "a".repeat(65_536);
    while (sent.get() < 256) {
      exchange.send(part);
      sent.incrementAndGet();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ";;;",
        "/",
        "json",
        "",
        "application/json;charset",
        "application/json; charset=\"x",
        "text/html, x",
        "a b/c",
        "*/*",
        "application/json, application/json",
      })
  void anAnswerUnderATypeThatIsNoneIsServedAsWhatItIs(String type) throws Exception {
    UPSTREAM.enqueue(new Answer.HttpAnswer(200, List.of("Content-Type: " + type), GOOD));

    HttpResponse<String> answer = thread.say("hello");

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().allValues("content-type")).containsExactly("application/json");
    assertThat(answer.headers().firstValue("X-Memory-Status")).hasValue("stored");
    assertThat(answer.body()).isEqualTo(GOOD);
    assertThat(thread.stored()).containsExactly("user \"hello\"", "assistant \"fine\"");
    assertThat(GATEWAY.stackTraces()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/event-stream; charset", "text/event-stream, x"})
  void aStreamUnderATypeThatIsNoneIsServedAsAStream(String type) throws Exception {
    UPSTREAM.enqueue(
        exchange ->
            exchange
                .send("HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\nConnection: close\r\n\r\n")
                .send("data: [DONE]\n\n")
                .close());

    HttpResponse<String> answer = thread.call(CHAT, streamedChat(message("user", "hello")));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().allValues("content-type")).containsExactly("text/event-stream");
    assertThat(answer.body()).isEqualTo("data: [DONE]\n\n");
  }

  @ParameterizedTest
  @CsvSource({
    "'Content-Type: text/plain; charset=utf-8\r\n', ''",
    "'Content-Type: application/octet-stream\r\n', '\uFEFF'",
    "'', '\r\n\n'",
    "'', ': a comment\n\n'",
    "'', 'id: 1\n'",
    "'Content-Type: text/html\r\n', 'retry: 100\n'",
  })
  void eventsUnderAnotherTypeAreAStreamHoweverTheyAreCut(String type, String before)
      throws Exception {
    String events =
        before
            + "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n\n"
            + "data: [DONE]\n\n";
    UPSTREAM.enqueue(
        exchange -> {
          exchange.send("HTTP/1.1 200 OK\r\n" + type + "Connection: close\r\n\r\n");
          for (byte each : events.getBytes(UTF_8)) {
            exchange.send(new byte[] {each});
          }
          exchange.close();
        });

    HttpResponse<String> answer = thread.call(CHAT, streamedChat(message("user", "hello")));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().allValues("content-type")).containsExactly("text/event-stream");
    assertThat(answer.body()).isEqualTo(events);
    assertThat(thread.stored()).containsExactly("user \"hello\"", "assistant \"Hi\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"database is down", "\n\n\n", "dat", " data: [DONE]\n\n", ""})
  void textThatBeginsOtherwiseIsNoStream(String text) throws Exception {
    UPSTREAM.enqueue(new Answer.HttpAnswer(200, List.of("Content-Type: text/plain"), text));

    HttpResponse<String> answer = thread.call(CHAT, streamedChat(message("user", "hello")));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(502);
    assertThat(thread.stored()).isEmpty();
  }

  @Test
  void nothingIsStoredOfAnAnswerThatIsNoneUnderATypeThatIsNone() throws Exception {
    UPSTREAM.enqueue(new Answer.HttpAnswer(200, List.of("Content-Type: ;;;"), "<html>"));

    assertThat(thread.say("hello").statusCode()).isEqualTo(502);
    assertThat(thread.stored()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "data: {\"choices\":[{\"del",
        "data: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}",
        "data: {\"error\":{\"message\":\"no",
        "event: error\ndata: {\"error",
        "data: [DO",
        "da",
        "data: {\"choices\":[]}\ndata: {\"cho",
      })
  void halfAnEventIsNotShownBeforeTheErrorEvent(String half) throws Exception {
    UPSTREAM.enqueue(exchange -> exchange.send(STREAM_HEAD).send(delta("a")).send(half).close());

    assertThat(thread.call(CHAT, streamedChat(message("user", "hello"))).body())
        .isEqualTo(delta("a") + ENDED_TOO_EARLY);
    assertThat(thread.stored())
        .containsExactly("user \"hello\" incomplete", "assistant \"a\" incomplete");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "data: [DONE]",
        "data: [DONE]\n",
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}",
      })
  void anAnswerThatIsCompleteButForABlankLinePassesAsItIs(String end) throws Exception {
    UPSTREAM.enqueue(exchange -> exchange.send(STREAM_HEAD).send(delta("a")).send(end).close());

    assertThat(thread.call(CHAT, streamedChat(message("user", "hello"))).body())
        .isEqualTo(delta("a") + end);
    assertThat(thread.stored()).containsExactly("user \"hello\"", "assistant \"a\"");
  }

  @Test
  void whatALastEventWithoutItsBlankLineSaysIsStored() throws Exception {
    String end =
        "data: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\n";
    UPSTREAM.enqueue(exchange -> exchange.send(STREAM_HEAD).send(delta("a")).send(end).close());

    assertThat(thread.call(CHAT, streamedChat(message("user", "hello"))).body())
        .isEqualTo(delta("a") + end);
    assertThat(thread.stored()).containsExactly("user \"hello\"", "assistant \"ab\"");
  }

  @ParameterizedTest
  @Timeout(TestTimeout.SECONDS)
  @CsvSource({"100, 1", "102, 2", "103, 30", "104, 1", "150, 3", "199, 1"})
  void interimResponsesOfAnyStatusAreSkipped(int status, int times) throws Exception {
    String interim = "HTTP/1.1 " + status + " Interim\r\nX-RateLimit-A: 1\r\n\r\n";
    UPSTREAM.enqueue(Answer.rawThen(interim.repeat(times), Answer.json(GOOD)));

    HttpResponse<String> answer = thread.say("hello");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo(GOOD);
    assertThat(answer.headers().map()).doesNotContainKey("x-upstream-ratelimit-a");
  }

  @Test
  @Timeout(TestTimeout.SECONDS)
  void anUpstreamThatSendsNothingButInterimResponsesIsGivenUp() throws Exception {
    UPSTREAM.enqueue(Answer.rawThen("HTTP/1.1 102 Processing\r\n\r\n".repeat(1000), Answer.hang()));

    assertThat(thread.say("hello").statusCode()).isEqualTo(502);
    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  @ParameterizedTest
  @Timeout(TestTimeout.SECONDS)
  @ValueSource(booleans = {true, false})
  void aCallIsNotMadeAgainOnceAnInterimResponseCame(boolean byReset) throws Exception {
    UPSTREAM.enqueue(
        Answer.rawThen(
            "HTTP/1.1 102 Processing\r\n\r\n", byReset ? Answer.reset() : Answer.close()));

    assertThat(thread.say("hello").statusCode()).isEqualTo(502);
    assertThat(UPSTREAM.requests()).hasSize(1);
  }

  @Test
  @Timeout(TestTimeout.SECONDS)
  void aSwitchOfProtocolsThatNobodyAskedForIsABadGateway() throws Exception {
    UPSTREAM.enqueue(
        Answer.rawThen(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
            Answer.close()));

    assertThat(thread.say("hello").statusCode()).isEqualTo(502);
    assertThat(thread.stored()).isEmpty();
  }

  @Test
  void aDeltaThatIsNotUtf8IsStoredAsClientsShowIt() throws Exception {
    byte[] broken = delta("caf\u00e9").getBytes(ISO_8859_1);
    UPSTREAM.enqueue(
        exchange ->
            exchange
                .send(STREAM_HEAD)
                .send(delta("a "))
                .send(broken)
                .send(delta(" c") + "data: [DONE]\n\n")
                .close());

    HttpResponse<String> answer = thread.call(CHAT, streamedChat(message("user", "hello")));

    assertThat(answer.headers().firstValue("X-Memory-Status")).hasValue("stored");
    assertThat(answer.body()).endsWith("data: [DONE]\n\n").doesNotContain("X-Memory-Status");
    assertThat(thread.stored()).containsExactly("user \"hello\"", "assistant \"a caf\uFFFD c\"");
  }

  @Test
  void aChunkThatCannotBeReadIsNotStoredInSilence() throws Exception {
    double stored = turns("stored");
    double unreadable = turns("unreadable");
    UPSTREAM.enqueue(
        Answer.sse(
            List.of(
                delta("a "),
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\"},}]}\n\n",
                delta(" c"),
                "data: [DONE]\n\n")));

    HttpResponse<String> answer = thread.call(CHAT, streamedChat(message("user", "hello")));

    assertThat(answer.body()).endsWith(": X-Memory-Status: bypassed\ndata: [DONE]\n\n");
    assertThat(thread.stored())
        .containsExactly("user \"hello\" incomplete", "assistant \"a  c\" incomplete");
    assertThat(GATEWAY.log()).contains("events that cannot be read");
    assertThat(turns("stored")).isEqualTo(stored);
    assertThat(turns("unreadable")).isEqualTo(unreadable + 1);

    UPSTREAM.enqueue(Answer.sse(List.of(delta("a b c"), "data: [DONE]\n\n")));
    HttpResponse<String> again = thread.call(CHAT, streamedChat(message("user", "hello")));

    assertThat(again.body()).doesNotContain("X-Memory-Status");
    assertThat(thread.stored())
        .as("the same call completes the turn")
        .containsExactly(
            "user \"hello\"", "assistant \"a  c\" incomplete superseded", "assistant \"a b c\"");
  }

  private static double turns(String outcome) throws Exception {
    String name = "memory_gateway_turns_total{outcome=\"" + outcome + "\"} ";
    return GATEWAY
        .send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/metrics")))
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
        .sum();
  }

  @Test
  void aChunkWithNumbersOfPythonIsRead() throws Exception {
    UPSTREAM.enqueue(
        Answer.sse(
            List.of(
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},"
                    + "\"logprobs\":{\"content\":[{\"logprob\":-Infinity}]}}]}\n\n",
                "data: [DONE]\n\n")));

    HttpResponse<String> answer = thread.call(CHAT, streamedChat(message("user", "hello")));

    assertThat(answer.body()).doesNotContain("X-Memory-Status");
    assertThat(thread.stored()).containsExactly("user \"hello\"", "assistant \"a\"");
  }

  @ParameterizedTest
  @ValueSource(ints = {201, 205, 206, 226, 299})
  void anAnswerOfAnySuccessPassesWithItsStatus(int status) throws Exception {
    UPSTREAM.enqueue(Answer.json(status, GOOD));

    HttpResponse<String> answer = thread.say("hello");

    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.body()).isEqualTo(GOOD);
    assertThat(thread.stored()).containsExactly("user \"hello\"", "assistant \"fine\"");
  }

  @Test
  void theProvidersKeyIsMaskedInAnswersAndInWhatIsStoredOfThem() throws Exception {
    UPSTREAM.enqueue(Answer.json(GOOD.replace("fine", "your key is " + KEY)));

    HttpResponse<String> answer = thread.say("hello");

    assertThat(answer.body()).isEqualTo(GOOD.replace("fine", "your key is ***"));
    assertThat(thread.stored()).contains("assistant \"your key is ***\"");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5, 1000})
  void theProvidersKeyIsMaskedInStreamsHoweverTheyAreCut(int chunk) throws Exception {
    String events = delta("Bearer " + KEY) + "data: [DONE]\n\n";
    UPSTREAM.enqueue(
        exchange -> {
          exchange.send(STREAM_HEAD);
          for (int at = 0; at < events.length(); at += chunk) {
            exchange.send(events.substring(at, Math.min(events.length(), at + chunk)));
          }
          exchange.close();
        });

    HttpResponse<String> answer = thread.call(CHAT, streamedChat(message("user", "hello")));

    assertThat(answer.body()).isEqualTo(events.replace(KEY, "***"));
    assertThat(thread.stored()).contains("assistant \"Bearer ***\"");
  }

  @Test
  void theProvidersKeyIsMaskedInHeaders() throws Exception {
    UPSTREAM.enqueue(
        new Answer.HttpAnswer(
            200,
            List.of(
                "Content-Type: application/json; key=" + KEY,
                "x-ratelimit-key: Bearer " + KEY,
                "Retry-After: " + KEY),
            GOOD),
        Answer.error(401, "authentication_error", "no").header("x-request-id", KEY));

    HttpResponse<String> answer = thread.say("hello");
    HttpResponse<String> error = thread.say("hello");

    assertThat(answer.headers().map().toString()).doesNotContain(KEY);
    assertThat(answer.headers().firstValue("x-upstream-ratelimit-key")).hasValue("Bearer ***");
    assertThat(error.headers().map().toString()).doesNotContain(KEY);
    assertThat(GATEWAY.log()).doesNotContain(KEY);
  }

  private static String delta(String text) {
    return "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + text + "\"}}]}\n\n";
  }
}
