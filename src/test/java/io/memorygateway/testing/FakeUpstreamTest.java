package io.memorygateway.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.models.messages.MessageCreateParams;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.embeddings.EmbeddingCreateParams;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseStreamEvent;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class FakeUpstreamTest {
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @Test
  void recordsWhatCameAndKeepsTheConnection() throws Exception {
    UPSTREAM.enqueue(Answer.json(201, "{\"a\":1}").header("X-Twice", "1").header("X-Twice", "2"));
    HttpResponse<String> first = post("/v1/a?b=c", "{\"x\":\"y\"}");
    post("/v1/chat/completions", "{\"model\":\"m\"}");

    assertThat(first.statusCode()).isEqualTo(201);
    assertThat(first.headers().allValues("x-twice")).containsExactly("1", "2");
    RecordedRequest request = UPSTREAM.takeRequest();
    assertThat(request.target()).isEqualTo("/v1/a?b=c");
    assertThat(request.path()).isEqualTo("/v1/a");
    assertThat(request.header("content-type")).isEqualTo("application/json");
    assertThat(request.json().path("x").asText()).isEqualTo("y");
    assertThat(UPSTREAM.takeRequest().connection()).isEqualTo(request.connection());
    assertThat(request.clientLeft()).isNotDone();
  }

  @Test
  void readsChunkedRequests() throws Exception {
    HttpRequest.BodyPublisher chunked =
        HttpRequest.BodyPublishers.ofInputStream(
            () ->
                new java.io.ByteArrayInputStream(
                    "{\"stream\":false}".getBytes(StandardCharsets.UTF_8)));
    http.send(
        HttpRequest.newBuilder(URI.create(UPSTREAM.url() + "/x")).POST(chunked).build(),
        HttpResponse.BodyHandlers.ofString());

    assertThat(UPSTREAM.takeRequest().text()).isEqualTo("{\"stream\":false}");
  }

  @Test
  void sendsAnEventWhenTheTestReleasesIt() throws Exception {
    Semaphore gate = new Semaphore(0);
    UPSTREAM.enqueue(Answer.sse(List.of("data: 1\n\n", "data: 2\n\n"), gate));
    try (Socket socket = open("GET / HTTP/1.1\r\nHost: x\r\n\r\n")) {
      InputStream in = socket.getInputStream();
      readUntil(in, "\r\n\r\n");
      assertThat(in.available()).isZero();
      gate.release();
      assertThat(readUntil(in, "\n\n\r\n")).isEqualTo("9\r\ndata: 1\n\n\r\n");
      assertThat(in.available()).isZero();
      gate.release();
      assertThat(readUntil(in, "0\r\n\r\n")).isEqualTo("9\r\ndata: 2\n\n\r\n0\r\n\r\n");
    }
  }

  @Test
  void noticesAClientThatLeavesASilentAnswer() throws Exception {
    UPSTREAM.enqueue(Answer.hang());
    RecordedRequest request;
    try (Socket socket = open("GET / HTTP/1.1\r\nHost: x\r\n\r\n")) {
      request = UPSTREAM.takeRequest();
      assertThat(socket.isConnected()).isTrue();
      assertThat(request.clientLeft()).isNotDone();
    }
    assertThat(request.clientLeft()).succeedsWithin(TestTimeout.DEFAULT);
  }

  @Test
  void resetsAtEveryPlace() throws Exception {
    for (Answer answer :
        List.of(
            Answer.reset(),
            Answer.resetInStatusLine(),
            Answer.resetAfterHeaders(),
            Answer.resetInBody(),
            Answer.sseThen(List.of("data: 1\n\n", "data: {\"hal"), Answer.reset()))) {
      UPSTREAM.enqueue(answer);
      try (Socket socket = open("GET / HTTP/1.1\r\nHost: x\r\n\r\n")) {
        assertThatThrownBy(() -> socket.getInputStream().readAllBytes())
            .isInstanceOf(SocketException.class)
            .hasMessageContaining("reset");
      }
    }
  }

  @Test
  void closesInAChunkAndAfterABodyWithoutLength() throws Exception {
    UPSTREAM.enqueue(Answer.closeInChunk(), Answer.closeDelimited("{}"), Answer.garbage());
    assertThatThrownBy(() -> post("/", "{}")).isInstanceOf(IOException.class);
    assertThat(post("/", "{}").body()).isEqualTo("{}");
    assertThatThrownBy(() -> post("/", "{}")).isInstanceOf(IOException.class);
  }

  @Test
  void tellsHowMuchASlowReaderHasTaken() throws Exception {
    FloodAnswer flood = new FloodAnswer("data: " + "x".repeat(1000) + "\n\n", 1_000_000);
    UPSTREAM.enqueue(flood);
    try (Socket socket = open("GET / HTTP/1.1\r\nHost: x\r\n\r\n")) {
      await().during(Duration.ofMillis(300)).until(flood::written, new Unchanged());
      assertThat(flood.written()).isLessThan(1_000_000_000L / 10);
      assertThat(socket.getInputStream().read()).isEqualTo('H');
    }
  }

  @Test
  void standsBesideAPortThatRefusesAndOneThatNeverAnswers() throws Exception {
    try (BlackHole hole = new BlackHole();
        Socket refused = new Socket();
        Socket ignored = new Socket()) {
      var loopback = InetAddress.getLoopbackAddress();
      var closed = new InetSocketAddress(loopback, FakeUpstream.closedPort());
      var silent = new InetSocketAddress(loopback, hole.port());
      assertThatThrownBy(() -> refused.connect(closed, 5000)).isInstanceOf(ConnectException.class);
      assertThatThrownBy(() -> ignored.connect(silent, 100))
          .isInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  void isParsedByOpenAisClient() {
    OpenAIClient client =
        OpenAIOkHttpClient.builder().apiKey("k").baseUrl(UPSTREAM.url() + "/v1").build();
    ChatCompletionCreateParams chat =
        ChatCompletionCreateParams.builder().model("gpt-x").addUserMessage("hi").build();
    assertThat(client.chat().completions().create(chat).choices().get(0).message().content())
        .contains(CannedReplies.TEXT);

    ChatCompletionAccumulator collected = ChatCompletionAccumulator.create();
    try (var stream =
        client
            .chat()
            .completions()
            .createStreaming(
                chat.toBuilder()
                    .streamOptions(ChatCompletionStreamOptions.builder().includeUsage(true).build())
                    .build())) {
      stream.stream().forEach(collected::accumulate);
    }
    assertThat(collected.chatCompletion().choices().get(0).message().content())
        .contains(CannedReplies.TEXT);
    assertThat(collected.chatCompletion().usage().orElseThrow().completionTokens()).isEqualTo(4);

    ResponseCreateParams responses =
        ResponseCreateParams.builder().model("gpt-x").input("hi").build();
    assertThat(
            client
                .responses()
                .create(responses)
                .output()
                .get(0)
                .asMessage()
                .content()
                .get(0)
                .asOutputText()
                .text())
        .isEqualTo(CannedReplies.TEXT);
    try (var stream = client.responses().createStreaming(responses)) {
      List<ResponseStreamEvent> events =
          stream.stream().map(ResponseStreamEvent::validate).toList();
      assertThat(
              events.stream()
                  .flatMap(event -> event.outputTextDelta().stream())
                  .map(delta -> delta.delta())
                  .collect(Collectors.joining()))
          .isEqualTo(CannedReplies.TEXT);
      assertThat(events.get(events.size() - 1).isCompleted()).isTrue();
    }

    assertThat(
            client
                .embeddings()
                .create(EmbeddingCreateParams.builder().model("e").input("hi").build())
                .data()
                .get(0)
                .embedding())
        .hasSize(4);
  }

  @Test
  void isParsedByAnthropicsClient() {
    var client = AnthropicOkHttpClient.builder().apiKey("k").baseUrl(UPSTREAM.url()).build();
    MessageCreateParams params =
        MessageCreateParams.builder().model("claude-x").maxTokens(9).addUserMessage("hi").build();
    assertThat(client.messages().create(params).validate().content().get(0).asText().text())
        .isEqualTo(CannedReplies.TEXT);
    try (var stream = client.messages().createStreaming(params)) {
      assertThat(
              stream.stream()
                  .map(event -> event.validate())
                  .flatMap(event -> event.contentBlockDelta().stream())
                  .map(event -> event.delta().asText().text())
                  .collect(Collectors.joining()))
          .isEqualTo(CannedReplies.TEXT);
    }
  }

  private static final class Unchanged implements java.util.function.Predicate<Long> {
    private long last = -1;

    @Override
    public boolean test(Long value) {
      boolean same = value == last && value > 0;
      last = value;
      return same;
    }
  }

  private HttpResponse<String> post(String target, String body) throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create(UPSTREAM.url() + target))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static Socket open(String request) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), UPSTREAM.port());
    socket.setSoTimeout(60_000);
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static String readUntil(InputStream in, String end) throws IOException {
    StringBuilder read = new StringBuilder();
    while (!read.toString().endsWith(end)) {
      int b = in.read();
      if (b < 0) {
        throw new IOException("ended after: " + read);
      }
      read.append((char) b);
    }
    return read.toString();
  }
}
