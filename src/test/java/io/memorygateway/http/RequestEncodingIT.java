package io.memorygateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
    "identity, ",
    "IDENTITY, ",
    "'', ",
    "gzip, gzip",
    "GZip, gzip",
    "x-gzip, gzip",
    "'identity, gzip', gzip",
    "zstd, zstd",
    "ZSTD, zstd",
  })
  void theseAreUnderstood(String coding, @Nullable String compressed) throws Exception {
    for (String path : new String[] {THREADS, CHAT}) {
      byte[] body = body(path).getBytes(UTF_8);
      HttpResponse<String> answer =
          post(path, coding, compressed == null ? body : compress(compressed, body));

      assertThat(answer.statusCode()).as(answer.body()).isIn(200, 201);
    }
  }

  @ParameterizedTest
  @CsvSource({"br", "deflate", "foo", "'gzip, gzip'", "'gzip, zstd'", "'br, gzip'"})
  void othersAreRefusedWithTheReason(String coding) throws Exception {
    for (String path : new String[] {THREADS, CHAT}) {
      HttpResponse<String> answer = post(path, coding, body(path).getBytes(UTF_8));

      assertThat(ErrorEnvelope.check(answer, 415, "invalid_request_error").get("message").asText())
          .contains("Content-Encoding", "gzip", "zstd");
      assertThat(answer.headers().firstValue("Accept-Encoding")).hasValue("gzip, zstd");
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

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "zstd"})
  void aBodyThatIsCutOffIsMalformedWhereverItIsCut(String coding) throws Exception {
    for (String path : new String[] {THREADS, CHAT}) {
      byte[] whole = compress(coding, body(path).getBytes(UTF_8));
      for (int cut = 1; cut <= 12; cut++) {
        HttpResponse<String> answer = post(path, coding, Arrays.copyOf(whole, whole.length - cut));

        ErrorEnvelope.check(answer, 400, "invalid_request_error");
      }
    }
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "zstd"})
  void severalMembersAreOneBody(String coding) throws Exception {
    byte[] body = body(CHAT).getBytes(UTF_8);
    ByteArrayOutputStream members = new ByteArrayOutputStream();
    members.writeBytes(compress(coding, Arrays.copyOf(body, 5)));
    members.writeBytes(compress(coding, Arrays.copyOfRange(body, 5, body.length)));

    assertThat(post(CHAT, coding, members.toByteArray()).statusCode()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().body()).isEqualTo(body);
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "zstd"})
  void theBoundIsOnWhatIsDecompressed(String coding) throws Exception {
    String fits = body(CHAT).replace("hello", "x".repeat(90_000));
    String tooLarge = body(CHAT).replace("hello", "x".repeat(110_000));

    assertThat(post(CHAT, coding, compress(coding, fits.getBytes(UTF_8))).statusCode())
        .isEqualTo(200);
    ErrorEnvelope.check(
        post(CHAT, coding, compress(coding, tooLarge.getBytes(UTF_8))),
        413,
        "invalid_request_error");
  }

  @Test
  void aZstdBodyThatAsksForMuchMemoryIsToldWhatIsWrong() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (ZstdOutputStreamNoFinalizer zstd = new ZstdOutputStreamNoFinalizer(out)) {
      zstd.setLong(27);
      zstd.write(body(CHAT).getBytes(UTF_8));
    }

    assertThat(
            ErrorEnvelope.check(post(CHAT, "zstd", out.toByteArray()), 400, "invalid_request_error")
                .get("message")
                .asText())
        .contains("window", "8 MB");
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

  private static byte[] compress(String coding, byte[] bytes) throws Exception {
    if (coding.equals("zstd")) {
      return Zstd.compress(bytes);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }
}
