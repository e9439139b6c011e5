package io.memorygateway.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §6: endpoints that are passed on as they are. */
class PassThroughCallsIT {
  private static final String OWN_KEY = "X-Memory-Gateway-Authorization";

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                var cohere = config.withObject("/providers").putObject("cohere");
                cohere.put("baseUrl", UPSTREAM.url() + "/cohere/v2").put("needsKey", false);
                cohere.putArray("endpoints").add("rerank").add("audio");
              });

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POST|responses/compact|{\"model\":\"openai/m\",\"input\":[ ]}|/openai/v1/responses/compact|{\"model\":\"m\",\"input\":[ ]}",
        "POST|responses/input_tokens|{\"model\":\"gpt-5\"}|/openai/v1/responses/input_tokens|{\"model\":\"gpt-5\"}",
        "GET|responses/resp_1?include=x||/openai/v1/responses/resp_1?include=x|",
        "DELETE|responses/resp_1||/openai/v1/responses/resp_1|",
        "POST|responses/resp_1/cancel||/openai/v1/responses/resp_1/cancel|",
        "GET|files/file-1/content||/openai/v1/files/file-1/content|",
        "POST|uploads/u/complete|{}|/openai/v1/uploads/u/complete|{}",
        "POST|batches|{\"input_file_id\":\"file-1\"}|/openai/v1/batches|{\"input_file_id\":\"file-1\"}",
        "POST|messages/batches|{\"requests\":[]}|/anthropic/v1/messages/batches|{\"requests\":[]}",
        "GET|messages/batches/b/results||/anthropic/v1/messages/batches/b/results|",
        "POST|images/generations|{\"model\":\"dall-e-3\"}|/openai/v1/images/generations|{\"model\":\"dall-e-3\"}",
        "POST|moderations|{\"input\":\"x\"}|/openai/v1/moderations|{\"input\":\"x\"}",
        "POST|rerank|{\"model\":\"cohere/rerank-4\"}|/cohere/v2/rerank|{\"model\":\"rerank-4\"}",
        "POST|audio/speech|{\"model\":\"cohere/x/y\"}|/cohere/v2/audio/speech|{\"model\":\"x/y\"}",
        "POST|../openai/deployments/tts/audio/speech|{\"input\":\"x\"}|/openai/v1/audio/speech|{\"model\":\"tts\",\"input\":\"x\"}",
      })
  void aCallGoesToTheProviderThatServesIt(
      String method, String path, String body, String target, String sent) throws Exception {
    UPSTREAM.answerAlways(Answer.json("{\"id\":\"x\", \"n\":1.10}"));
    String full = path.startsWith("../") ? path.substring(2) : "/v1/" + path;

    HttpResponse<String> answer = send(full, method, body);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("{\"id\":\"x\", \"n\":1.10}");
    assertThat(answer.headers().firstValue("X-RateLimit-Scope")).contains("llm_proxy");
    assertThat(answer.headers().firstValue("X-Memory-Status")).isEmpty();
    RecordedRequest request = UPSTREAM.takeRequest();
    assertThat(request.method()).isEqualTo(method);
    assertThat(request.target()).isEqualTo(target);
    assertThat(request.text()).isEqualTo(sent == null ? "" : sent);
    assertThat(request.headers().toString()).doesNotContain(GATEWAY.key());
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/responses/input_tokens",
    "/v1/responses/compact",
    "/responses/input_tokens",
    "/responses/compact",
    "/v1/messages/count_tokens"
  })
  void whatIsPostedIsNoIdToReadOrDelete(String path) throws Exception {
    UPSTREAM.answerAlways(Answer.json("{}"));
    for (String method : new String[] {"GET", "HEAD", "DELETE", "PUT"}) {
      HttpResponse<String> answer = send(path, method, null);

      assertThat(answer.statusCode()).as(method).isEqualTo(405);
      assertThat(answer.headers().firstValue("Allow")).as(method).contains("POST,OPTIONS");
    }
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  @Test
  void theProviderCanBeNamed() throws Exception {
    UPSTREAM.answerAlways(Answer.json("{}"));

    HttpResponse<String> answer =
        GATEWAY.send(
            GATEWAY
                .request("/v1/audio/speech")
                .header("x-gateway-provider", "cohere")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"model\":\"tts\"}")));

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("X-Gateway-Target")).contains("cohere/tts");
    assertThat(answer.headers().firstValue("X-Gateway-Attempts")).contains("cohere/tts=200");
    assertThat(UPSTREAM.takeRequest().path()).isEqualTo("/cohere/v2/audio/speech");
  }

  @ParameterizedTest
  @CsvSource({
    "nobody, audio/speech",
    "openrouter, audio/speech",
    "cohere, files",
    "openai, rerank"
  })
  void aProviderThatDoesNotServeItIs404(String provider, String path) throws Exception {
    HttpResponse<String> answer =
        GATEWAY.send(
            GATEWAY
                .request("/v1/" + path)
                .header("x-gateway-provider", provider)
                .POST(BodyPublishers.ofString("x")));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(404);
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"files/%2e%2e/models", "files/a%2F..%2Fb", "files/..;/x", "files/a%3Fb"})
  void noPathLeadsElsewhere(String path) throws Exception {
    HttpResponse<String> answer = send("/v1/" + path, "GET", null);

    assertThat(answer.statusCode()).as(answer.body()).isIn(400, 404);
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "DELETE"})
  void anAnswerThatComesInGzipUnaskedIsUnpackedAsItComes(String method) throws Exception {
    String body = "{\"key\":\"" + TestGateway.PROVIDER_KEY + "\"}" + " ".repeat(100_000);
    byte[] packed = gzip(body);
    UPSTREAM.answerAlways(
        exchange ->
            exchange
                .send(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
                        .formatted(packed.length))
                .send(packed));

    HttpResponse<String> answer = send("/v1/files/file-1/content", method, null);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Encoding")).isEmpty();
    assertThat(answer.body()).isEqualTo(body.replace(TestGateway.PROVIDER_KEY, "***"));
  }

  /** The field may be set by a server for every answer that it has. */
  @ParameterizedTest
  @ValueSource(strings = {"gzip", "br"})
  void anAnswerWithoutABodyIsNotCompressed(String coding) throws Exception {
    String fields = "\r\nConnection: close\r\nContent-Encoding: " + coding + "\r\n";
    UPSTREAM.answerAlways(
        Answer.rawThen("HTTP/1.1 204 No Content" + fields + "\r\n", Answer.close()));
    assertThat(send("/v1/files/file-1", "DELETE", null).statusCode()).isEqualTo(204);

    UPSTREAM.answerAlways(
        Answer.rawThen("HTTP/1.1 200 OK" + fields + "Content-Length: 0\r\n\r\n", Answer.close()));
    HttpResponse<String> answer = send("/v1/files/file-1", "GET", null);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).isEmpty();
  }

  /** A provider may close a connection that it has kept while the next request is on its way. */
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {"GET, -, 200", "DELETE, -, 200", "POST, -, 200", "POST, {}, 502"})
  void aCallWithoutABodyIsMadeOnceMoreWhereItsConnectionIsClosed(
      String method, String body, int status) throws Exception {
    UPSTREAM.answerAlways(Answer.json("{}"));
    UPSTREAM.enqueue(Answer.reset());

    assertThat(send("/v1/files/file-1", method, body).statusCode()).isEqualTo(status);
  }

  @Test
  void anAnswerThatIsNoGzipBreaksOff() throws Exception {
    UPSTREAM.answerAlways(
        Answer.rawThen(
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
            Answer.close()));

    assertThatThrownBy(() -> send("/v1/files/file-1", "GET", null)).isInstanceOf(IOException.class);
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(UTF_8));
    }
    return bytes.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 9_000_000})
  void bodiesOfAnyTypeAreStreamedBothWays(long length) throws Exception {
    byte[] upload = new byte[9_000_000];
    new Random(1).nextBytes(upload);
    UPSTREAM.answerAlways(
        Answer.rawThen(
            "HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nConnection: close\r\n\r\nID3\r\n\0",
            Answer.close()));

    HttpResponse<byte[]> answer =
        java.net.http.HttpClient.newHttpClient()
            .send(
                GATEWAY
                    .request("/v1/audio/transcriptions")
                    .header("Content-Type", "multipart/form-data; boundary=\"x y\"")
                    .POST(
                        length < 0
                            ? BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(upload))
                            : BodyPublishers.ofByteArray(upload))
                    .build(),
                HttpResponse.BodyHandlers.ofByteArray());

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).contains("audio/mpeg");
    assertThat(answer.body())
        .isEqualTo("ID3\r\n\0".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    RecordedRequest request = UPSTREAM.takeRequest();
    assertThat(request.body()).isEqualTo(upload);
    assertThat(request.header("content-type")).isEqualTo("multipart/form-data; boundary=\"x y\"");
  }

  /** Of a form, Jersey reads the first byte where nothing has come when it looks. */
  @ParameterizedTest
  @ValueSource(strings = {"application/x-www-form-urlencoded", "text/plain"})
  void aBodyThatComesAfterItsHeadIsWhole(String type) throws Exception {
    UPSTREAM.answerAlways(Answer.json("{}"));
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.send(
          "POST /v1/files HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n"
              + "Transfer-Encoding: chunked\r\nContent-Type: "
              + type
              + "\r\nAuthorization: Bearer "
              + GATEWAY.key()
              + "\r\n\r\n");
      assertThat(client.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 100");
      client.send("7\r\na=1&b=2\r\n0\r\n\r\n");
      assertThat(client.readAll()).startsWith("HTTP/1.1 200");
    }
    assertThat(UPSTREAM.takeRequest().text()).isEqualTo("a=1&b=2");
  }

  @Test
  void anUploadThatIsTooLargeIsRefused() throws Exception {
    byte[] upload = new byte[33 << 20];

    HttpResponse<String> answer =
        GATEWAY.send(
            GATEWAY
                .request("/v1/files")
                .header("Content-Type", "application/octet-stream")
                .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(upload))));

    assertThat(answer.statusCode()).isEqualTo(413);
  }

  @Test
  void anErrorHasTheOneShape() throws Exception {
    UPSTREAM.answerAlways(Answer.html(400));

    HttpResponse<String> answer = send("/v1/moderations", "POST", "{}");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).startsWith("{\"error\":{").doesNotContain("<html");
  }

  @Test
  void theProvidersKeyIsMaskedInWhateverComes() throws Exception {
    UPSTREAM.answerAlways(
        Answer.rawThen(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nkey="
                + TestGateway.PROVIDER_KEY
                + ";",
            Answer.close()));

    assertThat(send("/v1/files/file-1/content", "GET", null).body()).isEqualTo("key=***;");
  }

  @Test
  void anAnswerThatBreaksOffDoesNotLookWhole() {
    UPSTREAM.answerAlways(Answer.closeInChunk());

    assertThatThrownBy(() -> send("/v1/files/file-1/content", "GET", null))
        .isInstanceOf(IOException.class);
  }

  @Test
  void anUnreachableProviderIs502AndCounted() throws Exception {
    UPSTREAM.answerAlways(Answer.reset());

    HttpResponse<String> answer = send("/v1/moderations", "POST", "{}");

    assertThat(answer.statusCode()).isEqualTo(502);
    assertThat(metrics()).contains("endpoint=\"moderations\",provider=\"openai\",status=\"502\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "files",
        "batches",
        "uploads",
        "images",
        "messages/batches",
        "audio/voices",
        "audio/voice_consents"
      })
  void aListOfWhatAllHaveMadeTakesAKeyOfOnesOwn(String path) throws Exception {
    UPSTREAM.answerAlways(Answer.json("{\"data\":[]}"));

    assertThat(send("/v1/" + path, "GET", null).statusCode()).isEqualTo(400);
    assertThat(send("/v1/" + path, "DELETE", null).statusCode()).isEqualTo(400);
    assertThat(UPSTREAM.requests()).isEmpty();
    HttpResponse<String> own =
        GATEWAY.send(
            GATEWAY
                .request("/v1/" + path)
                .setHeader("Authorization", "Bearer sk-own")
                .header(OWN_KEY, "Bearer " + GATEWAY.key()));
    assertThat(own.statusCode()).as(own.body()).isEqualTo(200);
  }

  private static String metrics() throws Exception {
    return java.net.http.HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(java.net.URI.create(GATEWAY.adminUrl() + "/metrics")).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  private static HttpResponse<String> send(String path, String method, String body)
      throws Exception {
    HttpRequest.Builder request = GATEWAY.request(path);
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    return GATEWAY.send(
        request.method(
            method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body)));
  }
}
