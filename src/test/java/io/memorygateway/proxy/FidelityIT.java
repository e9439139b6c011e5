package io.memorygateway.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.SharedGateway;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §6: bodies are passed on byte for byte, but for the few edits that must be. */
class FidelityIT {
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway(UPSTREAM);

  /** What a parser and a writer in between would not leave as it is. */
  private static final String DELICATE =
      "\"zeta\" : 1,\"alpha\":\t[ 1.10, 1e400, -0, -0.0, 1E+2, 12345678901234567890,"
          + " 0.1000000000000000055511151231257827 ],\r\n \"unknown\":{\"__proto__\":null,\"\":[],"
          + "\"deep\":[[[{}]]]},\n\"escapes\":\"\\u0041\\/\\u00e9\\ud83d\\ude00\\ud800 \\u0000 \\n\","
          + "\"plain\":\"é 😀 \u2028 \u007f\",\"twice\":1,\"twice\":2, \"big\":\""
          + "x".repeat(20_000)
          + "\"";

  private static final String CHAT =
      "{\"id\":\"c\",\"object\":\"chat.completion\",\"choices\":[]," + DELICATE + "}";

  @ParameterizedTest
  @CsvSource({
    "chat/completions, openai/gpt-5, gpt-5",
    "chat/completions, meta-llama/llama-4, meta-llama/llama-4",
    "responses, mastra/openai/gpt-5, gpt-5",
    "messages, anthropic/claude-sonnet-4-5, claude-sonnet-4-5",
    "messages/count_tokens, claude-sonnet-4-5, claude-sonnet-4-5",
    "embeddings, openai/text-embedding-3-small, text-embedding-3-small",
  })
  void aRequestKeepsEveryByteButItsModel(String endpoint, String model, String upstreamModel)
      throws Exception {
    String body = "{ %s , \"model\"  : \"%s\",\n \"last\": true }\n";

    HttpResponse<String> answer = GATEWAY.post("/v1/" + endpoint, body.formatted(DELICATE, model));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().text()).isEqualTo(body.formatted(DELICATE, upstreamModel));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'stream':true,'model':'gpt-5'}"
            + "|{'stream':true,'model':'gpt-5','stream_options':{'include_usage':true}}",
        "{'model':'openai/gpt-5','stream':true,'stream_options':null}"
            + "|{'model':'gpt-5','stream':true,'stream_options':{'include_usage':true}}",
        "{'model':'gpt-5','stream_options':{ 'x':1.0 },'stream':true}"
            + "|{'model':'gpt-5','stream_options':{'include_usage':true, 'x':1.0 },'stream':true}",
        "{'stream_options':{'x':1, 'include_usage': false},'model':'openai/gpt-5','stream':true}"
            + "|{'stream_options':{'x':1, 'include_usage': true},'model':'gpt-5','stream':true}",
      })
  void aChatStreamIsAskedForItsUsage(String body, String upstreamBody) throws Exception {
    GATEWAY.post("/v1/chat/completions", body.replace('\'', '"'));

    assertThat(UPSTREAM.takeRequest().text()).isEqualTo(upstreamBody.replace('\'', '"'));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "chat/completions|{'model':'gpt-5','stream':true,'stream_options':{'include_usage' :true}}",
        "chat/completions|{'model':'gpt-5','stream':false}",
        "chat/completions|{'model':'gpt-5','stream':null}",
        "chat/completions|{'model':'gpt-5'}",
        "responses|{'model':'gpt-5','stream':true}",
        "messages|{'model':'claude-sonnet-4-5','stream':true}",
      })
  void whereUsageComesAnywayNothingIsAskedFor(String endpoint, String body) throws Exception {
    GATEWAY.post("/v1/" + endpoint, body.replace('\'', '"'));

    assertThat(UPSTREAM.takeRequest().text()).isEqualTo(body.replace('\'', '"'));
  }

  /** Servers made with Python write them, in logprobs and embeddings. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "chat/completions|{'choices':[{'index':0,'message':{'content':'a'},'logprobs':{'x':NaN}}]}",
        "embeddings|{'data':[{'embedding':[ 1.0,-Infinity]}]}",
      })
  void numbersThatJsonDoesNotHaveComeBack(String endpoint, String given) throws Exception {
    String body = given.replace('\'', '"');
    for (String prefix : List.of("x", "y")) {
      UPSTREAM.enqueue(Answer.json(body));
      HttpResponse<String> answer =
          GATEWAY.send(
              GATEWAY
                  .request("/v1/" + endpoint)
                  .headers(prefix + "-thread-id", "nan", prefix + "-resource-id", "r")
                  .POST(
                      HttpRequest.BodyPublishers.ofString(
                          "{\"model\":\"gpt-5\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}")));
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo(body);
    }
    assertThat(GATEWAY.get("/v1/memory/threads/nan/messages").body()).contains("\"a\"");
  }

  @Test
  void anImageOfFiveMegabytesGoesUpAndComesBack() throws Exception {
    byte[] image = new byte[5 << 20];
    new Random(1).nextBytes(image);
    String encoded = Base64.getEncoder().encodeToString(image);
    String body = "{\"model\":\"gpt-5\",\"messages\":[{\"content\":\"%s\"}]}".formatted(encoded);
    String picture = "{\"choices\":[{\"message\":{\"images\":[\"%s\"]}}]}".formatted(encoded);
    UPSTREAM.enqueue(Answer.json(picture));

    HttpResponse<String> answer = GATEWAY.post("/v1/chat/completions", body);

    // Not isEqualTo: a failure would print both.
    assertThat(UPSTREAM.takeRequest().text().equals(body)).isTrue();
    assertThat(answer.body().equals(picture)).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "200|application/json",
        "200|application/json;charset=utf-8",
        "201|application/json",
        "202|application/vnd.api+json",
      })
  void anAnswerKeepsStatusContentTypeAndEveryByte(int status, String contentType) throws Exception {
    UPSTREAM.enqueue(new Answer.HttpAnswer(status, List.of("Content-Type: " + contentType), CHAT));

    HttpResponse<String> answer = chat();

    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.headers().allValues("content-type")).containsExactly(contentType);
    assertThat(answer.body()).isEqualTo(CHAT);
  }

  @Test
  void aStreamKeepsContentTypeAndEveryByte() throws Exception {
    String events =
        ": comment\r\n\r\ndata:{\"choices\":[],%s}\r\n\r\nid: 7\nretry: 10\nevent: x\ndata: {\ndata: }\n\n"
            .formatted(DELICATE.replaceAll("[\r\n]", " "));
    String done = "data: [DONE]\n\n";
    UPSTREAM.enqueue(Answer.sse(List.of(events, done)));

    HttpResponse<String> answer =
        GATEWAY.post("/v1/chat/completions", "{\"model\":\"gpt-5\",\"stream\":true}");

    assertThat(answer.headers().allValues("content-type"))
        .containsExactly("text/event-stream; charset=utf-8");
    assertThat(answer.body()).isEqualTo(events + done);
  }

  @Test
  void aChunkedAnswerIsTheSame() throws Exception {
    UPSTREAM.enqueue(
        exchange -> {
          exchange.send(
              "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
          for (int at = 0; at < CHAT.length(); at += 1000) {
            int end = Math.min(at + 1000, CHAT.length());
            // Never between the halves of a surrogate pair.
            exchange.chunk(CHAT.substring(at, end));
          }
          exchange.lastChunk();
        });

    assertThat(chat().body()).isEqualTo(CHAT);
  }

  @Test
  void anAnswerThatEndsWithItsConnectionIsTheSame() throws Exception {
    UPSTREAM.enqueue(Answer.closeDelimited(CHAT));

    assertThat(chat().body()).isEqualTo(CHAT);
  }

  @Test
  void anAnswerWithoutAStreamToARequestForOneIsTheSame() throws Exception {
    UPSTREAM.enqueue(Answer.json(CHAT));

    assertThat(GATEWAY.post("/v1/chat/completions", "{\"model\":\"gpt-5\",\"stream\":true}").body())
        .isEqualTo(CHAT);
  }

  @Test
  void anErrorInAnAnswerOfStatus200IsTheSame() throws Exception {
    String body = "{\"error\":{\"message\":\"no\",\"code\":502},\"user_id\":\"u\"}";
    UPSTREAM.enqueue(Answer.json(body));

    HttpResponse<String> answer = chat();

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo(body);
  }

  @ParameterizedTest
  @ValueSource(strings = {"br", "deflate", "compress"})
  void aCodingThatNobodyHereKnowsIsRefused(String coding) throws Exception {
    HttpResponse<String> answer =
        GATEWAY.send(
            GATEWAY
                .request("/v1/chat/completions")
                .header("Content-Type", "application/json")
                .header("Content-Encoding", coding)
                .POST(HttpRequest.BodyPublishers.ofString("whatever it is")));

    assertThat(answer.statusCode()).isEqualTo(415);
    assertThat(answer.body()).contains("\"type\":\"invalid_request_error\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "GZIP"})
  void aCompressedRequestReachesTheUpstreamPlain(String coding) throws Exception {
    String body = "{\"model\":\"gpt-5\"," + DELICATE + "}";

    HttpResponse<String> answer =
        GATEWAY.send(
            GATEWAY
                .request("/v1/chat/completions")
                .header("Content-Type", "application/json")
                .header("Content-Encoding", coding)
                .POST(HttpRequest.BodyPublishers.ofByteArray(gzip(body))));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    var request = UPSTREAM.takeRequest();
    assertThat(request.text()).isEqualTo(body);
    assertThat(request.header("content-encoding")).isNull();
  }

  @Test
  void aChunkedRequestReachesTheUpstreamWithItsLength() throws Exception {
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.send(
          "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
              + GATEWAY.key()
              + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
              + "9\r\n{\"model\":\r\n8\r\n\"gpt-5\"}\r\n0\r\n\r\n");

      assertThat(client.readAnswer()).startsWith("HTTP/1.1 200 ");
    }
    var request = UPSTREAM.takeRequest();
    assertThat(request.text()).isEqualTo("{\"model\":\"gpt-5\"}");
    assertThat(request.headers())
        .containsKey("Content-Length")
        .doesNotContainKey("Transfer-Encoding");
  }

  @Test
  void aClientThatTakesGzipUnpacksTheSameAnswer() throws Exception {
    UPSTREAM.enqueue(Answer.json(CHAT));

    HttpResponse<byte[]> answer =
        HttpClient.newHttpClient()
            .send(
                GATEWAY
                    .request("/v1/chat/completions")
                    .header("Content-Type", "application/json")
                    .header("Accept-Encoding", "gzip, deflate, br, zstd")
                    .POST(HttpRequest.BodyPublishers.ofString("{\"model\":\"gpt-5\"}"))
                    .build(),
                HttpResponse.BodyHandlers.ofByteArray());

    assertThat(answer.headers().firstValue("content-encoding")).contains("gzip");
    assertThat(new String(gunzip(answer.body()), UTF_8)).isEqualTo(CHAT);
  }

  @Test
  void aClientThatTakesGzipGetsEachEventOfAStreamAsItComes() throws Exception {
    UPSTREAM.enqueue(Answer.sseThen(List.of("data: {\"choices\":[]}\n\n"), Answer.hang()));

    try (RawClient client = new RawClient(GATEWAY.port())) {
      String body = "{\"model\":\"gpt-5\",\"stream\":true}";
      client.send(
          "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
              .formatted(GATEWAY.key(), body.length(), body));

      assertThat(client.readUntil("data: {\"choices\":[]}\n\n")).startsWith("HTTP/1.1 200 ");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 400})
  void anAnswerThatComesInGzipUnaskedIsUnpacked(int status) throws Exception {
    String body = status == 200 ? CHAT : "{\"error\":{\"message\":\"no\",\"type\":\"t\"}}";
    UPSTREAM.enqueue(inGzip(status, "application/json", body));

    HttpResponse<String> answer = chat();

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.body()).isEqualTo(body);
    assertThat(answer.headers().firstValue("content-encoding")).isEmpty();
  }

  private static Answer inGzip(int status, String type, String body) throws IOException {
    byte[] packed = gzip(body);
    return exchange ->
        exchange
            .send(
                "HTTP/1.1 %d X\r\nContent-Type: %s\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
                    .formatted(status, type, packed.length))
            .send(packed);
  }

  private static HttpResponse<String> chat() throws Exception {
    return GATEWAY.post("/v1/chat/completions", "{\"model\":\"gpt-5\"}");
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(UTF_8));
    }
    return bytes.toByteArray();
  }

  private static byte[] gunzip(byte[] bytes) throws IOException {
    return new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes();
  }
}
