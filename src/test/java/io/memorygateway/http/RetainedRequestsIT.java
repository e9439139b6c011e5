package io.memorygateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Requests of which everything that a caller may choose is different each time leave nothing behind
 * but what is bounded in bytes: names, ids, keys, hosts, paths, addresses, headers and members.
 */
@Tag("heavy")
class RetainedRequestsIT {
  /** Less than one long text of each round. */
  private static final long MAX_RETAINED_BYTES = 24 << 20;

  private static final int WARM_UP = 100;
  private static final int ROUNDS = 450;

  /** Of those in which a turn is stored, which the database takes its time for. */
  private static final int WITH_THREAD = 8;

  /** Longest name of a model that is read. */
  private static final int MODEL = 240;

  private static final int LONG = 60_000;

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                config
                    .withObject("/rateLimits/rules")
                    .forEach(rule -> ((ObjectNode) rule).put("limit", 10_000_000));
                config.putArray("trustedProxies").add("127.0.0.0/8");
              });

  /** What of a request is of this one alone. */
  private int round;

  @Test
  void whatCallersChooseIsNotKept() throws Exception {
    for (round = 0; round < WARM_UP; round++) {
      askAll();
    }
    UPSTREAM.reset();
    long before = used();
    for (; round < WARM_UP + ROUNDS; round++) {
      askAll();
    }
    UPSTREAM.reset();

    // What is written in the background is not written yet.
    await().until(() -> used() - before < MAX_RETAINED_BYTES);
  }

  private void askAll() throws Exception {
    if (round % 50 == 0) {
      UPSTREAM.reset();
      UPSTREAM
          .takingAll("names of all kinds")
          .answer(request -> Answer.json(request.path().endsWith("responses") ? RESPONSE : CHAT));
    }
    String key = GATEWAY.key();
    assertThat(ask("POST", "/v1/chat/completions", key, headers(), chat())).startsWith(OK);
    assertThat(ask("POST", "/v1/responses", key, headers(), responses())).startsWith(OK);
    if (round % WITH_THREAD == 0) {
      String turn =
          headers()
              + "x-thread-id: %s\r\nx-resource-id: %s\r\nIdempotency-Key: %s\r\n"
                  .formatted(text("thread", 200), text("resource", 200), text("once", 200));
      assertThat(ask("POST", "/v1/chat/completions", key, turn, chat())).startsWith(OK);
    }
    String thread = "/v1/memory/threads/" + text("nobody", 200);
    assertThat(ask("GET", thread, key, headers(), "")).startsWith("HTTP/1.1 404");
    String threads = "/v1/memory/threads?resourceId=" + text("nobody", 200);
    assertThat(ask("GET", threads, key, headers(), "")).startsWith(OK);
    assertThat(ask("GET", "/" + text("path", 3000), key, headers(), "")).startsWith("HTTP/1.1 404");
    String secret = "msk_%032x".formatted(round);
    assertThat(ask("GET", "/v1/models", secret, headers(), "")).startsWith("HTTP/1.1 401");
  }

  private static final String OK = "HTTP/1.1 200";
  private static final String CHAT =
      "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Fine.\"},"
          + "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}";
  private static final String RESPONSE =
      "{\"id\":\"r\",\"object\":\"response\",\"status\":\"completed\",\"output\":[],"
          + "\"usage\":{\"input_tokens\":9,\"output_tokens\":2}}";

  private static String ask(String method, String target, String key, String headers, String body)
      throws Exception {
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.send(
          "%s %s HTTP/1.1\r\nAuthorization: Bearer %s\r\n%sConnection: close\r\nContent-Length: %d\r\n\r\n%s"
              .formatted(
                  method,
                  target,
                  key,
                  headers,
                  body.getBytes(StandardCharsets.ISO_8859_1).length,
                  body));
      return client.readAll();
    }
  }

  /** A text that no other request has. */
  private String text(String kind, int length) {
    String begin = kind + "-" + round + "-";
    return begin + "x".repeat(length - begin.length());
  }

  private String headers() {
    String address = "10.%d.%d.%d".formatted(round >> 16, (round >> 8) & 255, round & 255);
    return "Host: %s.example\r\nX-Forwarded-For: %s\r\nContent-Type: application/json;x=%s\r\n"
            .formatted(text("host", 60), address, text("type", 100))
        + "traceparent: 00-%032x-%016x-01\r\n".formatted(round + 1, round + 1)
        + IntStream.range(0, HEADERS.length)
            .mapToObj(i -> HEADERS[i] + ": " + text("value", 300) + "\r\n")
            .collect(Collectors.joining());
  }

  private static final String[] HEADERS = {
    "User-Agent",
    "X-Request-Id",
    "OpenAI-Organization",
    "OpenAI-Project",
    "OpenAI-Beta",
    "anthropic-beta",
    "session_id",
    "x-session-id",
    "x-session-affinity",
    "X-Claude-Code-Session-Id",
    "Accept-Language",
    "Origin",
    "Referer",
    "Cookie",
    "x-whatever"
  };

  private String chat() {
    return """
        {"model":"openai/%s","models":["openai/a%s","openai/b%s"],"user":"%s","prompt_cache_key":"%s",
        "safety_identifier":"%s","metadata":{"%s":"v"},"%s":1,"max_tokens":9,
        "tools":[{"type":"function","function":{"name":"%s","parameters":{"type":"object"}}}],
        "messages":[{"role":"user","content":"Hi","name":"%s"},
        {"role":"assistant","content":null,"tool_calls":[{"id":"%s","type":"function","function":{"name":"%s","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"%s","content":"%s"}]}
        """
        .formatted(
            text("model", MODEL),
            text("model", MODEL),
            text("model", MODEL),
            text("user", LONG),
            text("cache", LONG),
            text("safe", LONG),
            text("meta", LONG),
            text("member", LONG),
            text("tool", LONG),
            text("name", LONG),
            text("call", LONG),
            text("tool", LONG),
            text("call", LONG),
            text("result", LONG));
  }

  private String responses() {
    return """
        {"model":"openai/%s","previous_response_id":"%s","prompt_cache_key":"%s","input":"Hi","%s":1}
        """
        .formatted(
            text("model", MODEL),
            text("response", LONG),
            text("cache", LONG),
            text("member", LONG));
  }

  private static long used() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
