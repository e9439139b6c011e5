package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §2: who guesses keys is slowed down, and who has one is not. */
class FailedAttemptsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                config.withObject("/auth").put("failuresPerMinute", 3);
                config.putArray("trustedProxies").add("127.0.0.0/8");
              });

  @BeforeEach
  void theNodeKnowsTheKey() {
    await().until(() -> GATEWAY.get("/v1/models").statusCode() == 200);
  }

  @Test
  void aGoodKeyThatIsNewToTheNodeGetsInByTryingAgain() throws Exception {
    String key = GATEWAY.issueKey("new");
    guessUntilSlowedDown("/v1/models");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/models")).header("x-api-key", key);
    await().until(() -> GATEWAY.send(request).statusCode() == 200);
  }

  @Test
  void aGoodKeyThatIsNewToTheNodeGetsInWhileItsAddressGoesOnGuessing() throws Exception {
    String key = GATEWAY.issueKey("beside-guesses");
    guessUntilSlowedDown("/v1/models");
    AtomicBoolean in = new AtomicBoolean();
    ExecutorService guessers = Executors.newFixedThreadPool(3);
    try {
      for (int i = 0; i < 3; i++) {
        int first = 1_000_000 * (i + 1);
        var unused =
            guessers.submit(
                () -> {
                  for (int n = first; !in.get(); n++) {
                    guess("/v1/models", n);
                  }
                  return null;
                });
      }
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/models")).header("x-api-key", key);
      await().until(() -> GATEWAY.send(request).statusCode() == 200);
    } finally {
      in.set(true);
      guessers.shutdown();
    }
  }

  @Test
  void failuresAreSlowedDownButAValidKeyFromTheSameAddressIsServed() throws Exception {
    HttpResponse<String> answer = guessUntilSlowedDown("/v1/models");

    JsonNode error = ErrorEnvelope.check(answer, 429, "rate_limit_error");
    long wait = error.get("retry_after_seconds").asLong();
    assertThat(wait).isBetween(1L, 60L);
    assertThat(answer.headers().firstValue("Retry-After")).contains(Long.toString(wait));
    assertThat(error.get("scope").asText()).isEqualTo("llm_proxy");
    assertThat(GATEWAY.get("/v1/models").statusCode()).isEqualTo(200);
    assertThat(guessUntilSlowedDown("/v1/memory/threads").body())
        .contains("\"scope\":\"memory_read\"");
  }

  @Test
  void behindATrustedProxyTheAddressThatItNamesIsCounted() throws Exception {
    guessUntilSlowedDown("/v1/models", "198.51.100.1");

    assertThat(guess("/v1/models", 0, "198.51.100.2").statusCode()).isEqualTo(401);
    assertThat(guess("/v1/models", 0, "198.51.100.2, 198.51.100.1").statusCode()).isEqualTo(429);
  }

  /** Within a minute or two, and one a second, whatever the number of guesses. */
  @Test
  void theDatabaseIsSparedOnceAnAddressHasFailedTooOften() throws Exception {
    long before = lookUps();
    long begun = System.nanoTime();
    for (int i = 0; i < 500; i++) {
      guess("/v1/models", 1_000 + i);
    }
    long seconds = Duration.ofNanos(System.nanoTime() - begun).toSeconds() + 1;
    long minutes = seconds / 60 + 2;
    assertThat(lookUps() - before).isLessThanOrEqualTo(3 * minutes + seconds + 1);
    assertThat(GATEWAY.get("/v1/models").statusCode()).isEqualTo(200);
  }

  private static long lookUps() throws Exception {
    String metrics =
        GATEWAY.send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/metrics"))).body();
    return metrics
        .lines()
        .filter(line -> line.startsWith("memory_gateway_key_look_ups_total "))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.indexOf(' '))))
        .sum();
  }

  private static HttpResponse<String> guessUntilSlowedDown(String path) throws Exception {
    return guessUntilSlowedDown(path, "");
  }

  private static HttpResponse<String> guessUntilSlowedDown(String path, String forwarded)
      throws Exception {
    HttpResponse<String> answer = guess(path, 0, forwarded);
    for (int i = 1; answer.statusCode() == 401; i++) {
      // Three in a minute; twice that if the minute changes in between.
      assertThat(i).isLessThanOrEqualTo(6);
      answer = guess(path, i, forwarded);
    }
    return answer;
  }

  private static HttpResponse<String> guess(String path, int number) throws Exception {
    return guess(path, number, "");
  }

  private static HttpResponse<String> guess(String path, int number, String forwarded)
      throws Exception {
    return GATEWAY.send(
        HttpRequest.newBuilder(URI.create(GATEWAY.url() + path))
            .header("Authorization", "Bearer msk_%032x".formatted(number))
            .header("X-Forwarded-For", forwarded));
  }
}
