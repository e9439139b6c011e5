package io.memorygateway.format;

import static io.memorygateway.testing.HostileText.assertLinear;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.format.align.Alignment;
import io.memorygateway.format.align.NormalForm;
import io.memorygateway.format.answer.AnswerAssembler;
import io.memorygateway.format.answer.AnswerStream;
import io.memorygateway.format.answer.AnswerSummaryReader;
import io.memorygateway.format.answer.RefusalWords;
import io.memorygateway.format.answer.UpstreamError;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.ForeignObservations;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.MemoryContext;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.MessagePiece;
import io.memorygateway.format.content.MessageText;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.secret.SecretBytes;
import io.memorygateway.secret.SecretFilter;
import io.memorygateway.sse.EventSplitter;
import io.memorygateway.sse.SseSplitter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The work of readers and writers of messages grows with their length, and no faster. */
@Tag("heavy")
class LinearFormatTest {
  private static final int LENGTH = 2_000;

  static Stream<Format> formats() {
    return Stream.of(new ChatFormat(), new MessagesFormat(), new ResponsesFormat());
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
  @MethodSource("formats")
  void requestsAreReadAndWritten(Format format) {
    assertLinear(
        LENGTH,
        text -> {
          String content = JsonWriter.quote(text);
          call(
              format,
              "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":" + content + "}]}");
          call(
              format,
              "{\"model\":\"m\",\"input\":" + content + ",\"instructions\":" + content + "}");
          call(format, text);
        });
  }

  @ParameterizedTest
  @MethodSource("formats")
  void answersAreRead(Format format) {
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
            format.answer(bytes);
            UpstreamError.rewrite(500, bytes, List.of("0aA/0aA/0aA"));
            new RefusalWords(bytes).isForeignReasoning();
            new AnswerSummaryReader().read(bytes);
          }
        });
  }

  @ParameterizedTest
  @MethodSource("formats")
  void streamsAreRead(Format format) {
    assertLinear(
        LENGTH / 4,
        text -> {
          stream(format, text);
          stream(format, "data: {\"delta\":\"" + text.replace("\n", "\ndata: ") + "\n\n");
        });
  }

  /** What is assembled of many pieces is not gone through again for each of them. */
  @Test
  void streamsOfManyPartsAreRead() {
    Format chat = new ChatFormat();
    Format messages = new MessagesFormat();
    Format responses = new ResponsesFormat();
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
    assertLinear(
        5_000,
        i ->
            Assembled.delta(
                "'tool_calls':[{'index':%d,'function':{'arguments':'a'}}]".formatted(i % 100)),
        text -> stream(chat, Calls.json(text)));
    assertLinear(
        2_000,
        i ->
            Assembled.delta(
                i % 2 == 0 ? "'content':'a'" : "'content':[{'type':'text','text':'b'},{}]"),
        text -> stream(chat, Calls.json(text)));
    assertLinear(
        2_000,
        i ->
            i == 0
                ? Assembled.start(0, "'input':{}")
                : Assembled.blockDelta(0, "'partial_json':'[1'"),
        text -> stream(messages, Calls.json(text)));
    assertLinear(
        2_000,
        i ->
            Assembled.event(
                "response.output_text." + (i % 10 == 0 ? "done" : "delta"),
                "'output_index':%d,'content_index':%d,'delta':'a','text':'b'"
                    .formatted(i % 7, i % 40)),
        text -> stream(responses, Calls.json(text)));
    String deep = "{'a':".repeat(200) + "1" + "}".repeat(200);
    assertLinear(200, i -> Assembled.delta("'x':" + deep), text -> stream(chat, Calls.json(text)));
    assertLinear(
        2_000,
        i -> "data: {'choices':[NaN,'" + "\\\\'".repeat(20) + "\n\n",
        text -> stream(chat, Calls.json(text)));
  }

  /** Of one id as of many, with and without results. */
  @Test
  void callsAndResultsArePaired() {
    for (String ids : List.of("%d", "same")) {
      assertLinear(
          2_000,
          i ->
              "{'type':'%s','id':'%s'},{'type':'x_tool_result','tool_use_id':'%s'},"
                  .formatted(i % 2 == 0 ? "server_tool_use" : "newest", ids, ids)
                  .replace("%d", "" + i),
          text -> pair(new MessagesFormat(), "[" + text + "0]"));
      assertLinear(
          2_000,
          i ->
              "{'type':'%s','call_id':'%s'},"
                  .formatted(i % 3 == 0 ? "shell_call" : "newest", ids)
                  .replace("%d", "" + i / 2),
          text -> pair(new ResponsesFormat(), "[" + text + "0]"));
    }
  }

  private static void pair(Format format, String parts) {
    List<StoredMessage> thread =
        List.of(Calls.stored("assistant", parts), Calls.stored("user", parts), Talk.user("a"));
    Conversation call = Calls.read(format, "{'model':'m','messages':[],'input':[]}");
    Conversation fresh = Calls.fresh(call, new Alignment(0, 0, 3));
    format.write(fresh, Calls.model("m"), new MemoryContext(null, thread));
  }

  private static void call(Format format, String json) {
    try {
      RequestBody body = RequestBody.parse(json.getBytes(UTF_8));
      format.prepare(body, Calls.model("m"));
      format.withoutReasoning(body.bytes());
      Conversation conversation = format.read(body);
      conversation.bringsObservations();
      List<StoredMessage> messages = conversation.messages();
      conversation.align(messages.stream().map(NormalForm::of).toList(), List.of());
      format.write(conversation, Calls.model("m"), new MemoryContext(null, messages));
    } catch (MalformedBodyException e) {
      // as most of these are
    }
  }

  private static void feed(String stream, SecretBytes secret) {
    SecretFilter filter = new SecretFilter(secret, event -> {});
    feed(stream, filter);
  }

  private static void stream(Format format, String stream) {
    AnswerAssembler assembler = format.openAssembler(1 << 24, bytes -> true, true);
    AnswerStream reader = format.openStream();
    AnswerSummaryReader summary = new AnswerSummaryReader();
    feed(
        stream,
        event -> {
          assembler.accept(event);
          reader.accept(event);
          summary.accept(event);
          format.startEvent(event);
        });
    assembler.messages();
    assembler.metadata();
  }

  private static void feed(String stream, EventSplitter.Sink sink) {
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
