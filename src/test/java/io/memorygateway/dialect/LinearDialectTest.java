package io.memorygateway.dialect;

import static io.memorygateway.testing.HostileText.assertLinear;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.json.JsonWriter;
import io.memorygateway.sse.SseSplitter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The work of readers and writers of messages grows with their length, and no faster. */
class LinearDialectTest {
  private static final int LENGTH = 2_000;

  static Stream<Dialect> dialects() {
    return Stream.of(new ChatDialect(), new MessagesDialect(), new ResponsesDialect());
  }

  @Test
  void namesOfImagesAndFilesAreFound() {
    assertLinear(
        LENGTH,
        text -> {
          String url = JsonWriter.quote("http://x/" + text + "y");
          MessagePiece.of("[{\"type\":\"image_url\",\"image_url\":{\"url\":" + url + "}}]");
          MessageText.of("[{\"type\":\"file\",\"data\":" + url + "}]");
        });
  }

  @Test
  void storedMessagesAreRead() {
    assertLinear(
        LENGTH,
        text -> {
          readStored(text);
          readStored(JsonWriter.quote(text));
          readStored("[{\"type\":\"text\",\"text\":" + JsonWriter.quote(text) + "}]");
        });
  }

  private static void readStored(String content) {
    StoredMessage message = StoredMessage.of("user", content);
    NormalForm.of(message);
    message.withFirstLine("[today]");
    message.shortened(100);
    StoredMessage.typeOf(content);
    MessageText.of(content);
  }

  @Test
  void promptsAreSearchedForObservations() {
    assertLinear(
        LENGTH,
        text -> {
          ForeignObservations.areIn(text);
          ForeignObservations.areIn("observations block contains your memory " + text);
        });
  }

  @Test
  void secretsAreMasked() {
    SecretBytes secret = SecretBytes.of("0aA/0aA/0aA/0aA.x");
    assertLinear(LENGTH, secret::mask);
    assertLinear(LENGTH, text -> feed("data: {\"content\":\"" + text + "\"}\n\n", secret));
  }

  @ParameterizedTest
  @MethodSource("dialects")
  void requestsAreReadAndWritten(Dialect dialect) {
    assertLinear(
        LENGTH,
        text -> {
          String content = JsonWriter.quote(text);
          call(
              dialect,
              "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":" + content + "}]}");
          call(
              dialect,
              "{\"model\":\"m\",\"input\":" + content + ",\"instructions\":" + content + "}");
          call(dialect, text);
        });
  }

  @ParameterizedTest
  @MethodSource("dialects")
  void answersAreRead(Dialect dialect) {
    assertLinear(
        LENGTH,
        text -> {
          String content = JsonWriter.quote(text);
          for (String json :
              List.of(
                  text,
                  "{\"choices\":[{\"message\":{\"content\":" + content + "}}]}",
                  "{\"content\":[{\"type\":\"text\",\"text\":" + content + "}]}",
                  "{\"error\":{\"message\":" + content + "}}")) {
            byte[] bytes = json.getBytes(UTF_8);
            dialect.answer(bytes);
            UpstreamError.rewrite(500, bytes, List.of("0aA/0aA/0aA"));
            UpstreamError.isForeignReasoning(bytes);
            new AnswerSummaryReader().read(bytes);
          }
        });
  }

  @ParameterizedTest
  @MethodSource("dialects")
  void streamsAreRead(Dialect dialect) {
    assertLinear(
        LENGTH / 4,
        text -> {
          stream(dialect, text);
          stream(dialect, "data: {\"delta\":\"" + text.replace("\n", "\ndata: ") + "\n\n");
        });
  }

  /** What is assembled of many pieces is not gone through again for each of them. */
  @Test
  void streamsOfManyPartsAreRead() {
    Dialect chat = new ChatDialect();
    Dialect messages = new MessagesDialect();
    Dialect responses = new ResponsesDialect();
    assertLinear(
        2_000,
        i -> Assembled.delta("'tool_calls':[{'index':%d,'id':'c%d'}]".formatted(i, i)),
        text -> stream(chat, Calls.json(text)));
    // Many names in an event: the parser copies what it remembers of names at each new one.
    assertLinear(
        100,
        i ->
            i == 0
                ? Assembled.start(0, "'type':'x'")
                : Assembled.blockDelta(
                    0,
                    IntStream.range(0, 100)
                        .mapToObj(j -> "'m%d.%d':'x'".formatted(i, j))
                        .collect(Collectors.joining(","))),
        text -> stream(messages, Calls.json(text)));
    assertLinear(
        1_000,
        i ->
            Assembled.event(
                    "response.output_item.added", "'output_index':%d,'item':{}".formatted(i))
                + Assembled.event("response.x", "'response':{'output':[1]}"),
        text -> stream(responses, Calls.json(text)));
    assertLinear(10_000, i -> "data: 0\n", text -> stream(chat, text + "\n"));
  }

  private static void call(Dialect dialect, String json) {
    try {
      RequestBody body = RequestBody.parse(json.getBytes(UTF_8));
      dialect.prepare(body, "m");
      dialect.withoutReasoning(body.bytes());
      Conversation conversation = dialect.read(body);
      conversation.bringsObservations();
      List<StoredMessage> messages = conversation.messages();
      conversation.align(messages.stream().map(NormalForm::of).toList(), false);
      dialect.write(conversation, "m", new MemoryContext(null, messages));
    } catch (MalformedBodyException e) {
      // as most of these are
    }
  }

  private static void feed(String stream, SecretBytes secret) {
    SecretFilter filter = new SecretFilter(secret, event -> {});
    feed(stream, filter);
  }

  private static void stream(Dialect dialect, String stream) {
    AnswerAssembler assembler = dialect.openAssembler(1 << 24, bytes -> true);
    AnswerStream reader = dialect.openStream();
    AnswerSummaryReader summary = new AnswerSummaryReader();
    feed(
        stream,
        event -> {
          assembler.accept(event);
          reader.accept(event);
          summary.accept(event);
          dialect.startEvent(event);
        });
    assembler.messages(true);
    assembler.metadata();
  }

  private static void feed(String stream, SseSplitter.Sink sink) {
    SseSplitter splitter = new SseSplitter(1 << 20);
    byte[] bytes = stream.getBytes(UTF_8);
    try {
      for (int at = 0; at < bytes.length; at += 1_000) {
        splitter.feed(bytes, at, Math.min(1_000, bytes.length - at), sink);
      }
      splitter.finish(sink);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
