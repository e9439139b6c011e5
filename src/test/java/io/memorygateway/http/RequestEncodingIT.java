package io.memorygateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §3: codings of request bodies, on every path alike. */
class RequestEncodingIT {
  private static final String THREADS = "/v1/memory/threads";
  private static final String CHAT = "/v1/chat/completions";

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(config -> config.put("maxRequestBody", "100KiB"));

  @ParameterizedTest
  @CsvSource({
    "identity, false",
    "IDENTITY, false",
    "'', false",
    "gzip, true",
    "GZip, true",
    "x-gzip, true",
    "'identity, gzip', true",
  })
  void theseAreUnderstood(String coding, boolean compressed) throws Exception {
    for (String path : new String[] {THREADS, CHAT}) {
      byte[] body = body(path).getBytes(UTF_8);
      HttpResponse<String> answer = post(path, coding, compressed ? gzip(body) : body);

      assertThat(answer.statusCode()).as(answer.body()).isIn(200, 201);
    }
  }

  @ParameterizedTest
  @CsvSource({"br", "deflate", "zstd", "foo", "'gzip, gzip'", "'br, gzip'"})
  void othersAreRefusedWithTheReason(String coding) throws Exception {
    for (String path : new String[] {THREADS, CHAT}) {
      HttpResponse<String> answer = post(path, coding, body(path).getBytes(UTF_8));

      assertThat(ErrorEnvelope.check(answer, 415, "invalid_request_error").get("message").asText())
          .contains("Content-Encoding", "gzip");
      assertThat(answer.headers().firstValue("Accept-Encoding")).hasValue("gzip");
    }
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  @Test
  void withoutAKeyTheKeyIsAskedForFirst() throws Exception {
    HttpResponse<String> answer =
        GATEWAY.send(
            HttpRequest.newBuilder(URI.create(GATEWAY.url() + CHAT))
                .header("Content-Type", "application/json")
                .header("Content-Encoding", "br")
                .POST(BodyPublishers.ofString("{}")));

    ErrorEnvelope.check(answer, 401, "authentication_error");
  }

  @Test
  void aBodyThatIsCutOffIsMalformedWhereverItIsCut() throws Exception {
    for (String path : new String[] {THREADS, CHAT}) {
      byte[] whole = gzip(body(path).getBytes(UTF_8));
      for (int cut = 1; cut <= 12; cut++) {
        HttpResponse<String> answer = post(path, "gzip", Arrays.copyOf(whole, whole.length - cut));

        ErrorEnvelope.check(answer, 400, "invalid_request_error");
      }
    }
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  @Test
  void severalMembersAreOneBody() throws Exception {
    byte[] body = body(CHAT).getBytes(UTF_8);
    ByteArrayOutputStream members = new ByteArrayOutputStream();
    members.writeBytes(gzip(Arrays.copyOf(body, 5)));
    members.writeBytes(gzip(Arrays.copyOfRange(body, 5, body.length)));

    assertThat(post(CHAT, "gzip", members.toByteArray()).statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().body()).isEqualTo(body);
  }

  @Test
  void theBoundIsOnWhatIsDecompressed() throws Exception {
    String fits = body(CHAT).replace("hello", "x".repeat(90_000));
    String tooLarge = body(CHAT).replace("hello", "x".repeat(110_000));

    assertThat(post(CHAT, "gzip", gzip(fits.getBytes(UTF_8))).statusCode()).isEqualTo(200);
    ErrorEnvelope.check(
        post(CHAT, "gzip", gzip(tooLarge.getBytes(UTF_8))), 413, "invalid_request_error");
  }

  private static String body(String path) {
    return path.equals(THREADS)
        ? "{\"resourceId\":\"user-1\"}"
        : "{\"model\":\"gpt-5\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}";
  }

  private static HttpResponse<String> post(String path, String coding, byte[] body)
      throws Exception {
    return GATEWAY.send(
        GATEWAY
            .request(path)
            .header("Content-Type", "application/json")
            .header("Content-Encoding", coding)
            .POST(BodyPublishers.ofByteArray(body)));
  }

  private static byte[] gzip(byte[] bytes) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }
}
