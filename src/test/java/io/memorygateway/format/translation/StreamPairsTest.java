package io.memorygateway.format.translation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.format.Format;
import io.memorygateway.format.answer.AnswerAssembler;
import io.memorygateway.format.answer.UpstreamErrorTest;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.chat.ChatStreamRules;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.messages.MessagesStreamRules;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.format.responses.ResponsesStreamRules;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.sse.SseSplitter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract §14: what a target streams is the same answer in each other format. */
class StreamPairsTest {
  private static final String PAIRS =
      "io.memorygateway.format.translation.TranslationPairsTest#pairs";

  private static final int ANSWERS = 150;

  private static Translation open(Translator called, Translator target) throws Exception {
    return TranslationPairsTest.translation(called, target, body(called), "m");
  }

  private static String body(Translator format) {
    return "{\"model\":\"m\",\"max_tokens\":9,\"%s\":[{\"role\":\"user\",\"content\":\"x\"}]}"
        .formatted(format.shape() == Shape.RESPONSES ? "input" : "messages");
  }

  /** A stream as a target sends it. */
  private static byte[] sent(Translator target, List<AnswerEvent> events) {
    AnswerWriter writer =
        target.openWriter(
            new Called(
                JsonValue.of(body(target)),
                new Names(List.of()),
                null,
                "maker",
                () -> 7,
                String::length));
    JsonWriter out = new JsonWriter(1024);
    events.forEach(event -> writer.write(event, out));
    return out.toString().getBytes(UTF_8);
  }

  private static byte[] translated(
      Translation translation, byte[] stream, int most, Random random) {
    StreamTranslation to = translation.openStream();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int at = 0; at < stream.length; ) {
      int length = Math.min(stream.length - at, random == null ? most : 1 + random.nextInt(most));
      out.writeBytes(to.take(stream, at, length));
      at += length;
    }
    out.writeBytes(to.end());
    return out.toByteArray();
  }

  /** Holds a stream to the order of its format; returns whether it ended with an error. */
  static boolean check(Translator format, byte[] stream) {
    String text = new String(stream, UTF_8);
    switch (format.shape()) {
      case CHAT -> ChatStreamRules.of(text);
      case MESSAGES -> MessagesStreamRules.check(text);
      default -> {
        ResponsesStreamRules rules = new ResponsesStreamRules();
        rules.takeAll(text);
        rules.end();
      }
    }
    return text.contains("\"error\":{");
  }

  /** Messages also tells the words of a refusal apart from its text. */
  private static String once(StringBuilder words, Stop stop) {
    int half = words.length() / 2;
    String all = words.toString();
    boolean twice = stop == Stop.REFUSAL && all.substring(0, half).equals(all.substring(half));
    return twice ? all.substring(0, half) : all;
  }

  /** What an answer says, however it is cut. */
  private record Read(
      String words, String thoughts, Map<String, String> calls, Stop stop, Usage usage) {
    static Read of(List<AnswerEvent> events) {
      StringBuilder words = new StringBuilder();
      StringBuilder thoughts = new StringBuilder();
      Map<Integer, String> names = new TreeMap<>();
      Map<Integer, StringBuilder> arguments = new TreeMap<>();
      Stop stop = null;
      Usage usage = null;
      for (AnswerEvent event : events) {
        if (event instanceof AnswerEvent.Text text) {
          words.append(text.delta());
        } else if (event instanceof AnswerEvent.Refusal text) {
          words.append(text.delta());
        } else if (event instanceof AnswerEvent.Thought text) {
          thoughts.append(text.delta());
        } else if (event instanceof AnswerEvent.Call call) {
          names.put(call.piece(), call.id() + " " + call.name());
          arguments.put(call.piece(), new StringBuilder());
        } else if (event instanceof AnswerEvent.Arguments more) {
          arguments.get(more.piece()).append(more.delta());
        } else if (event instanceof AnswerEvent.Finish finish) {
          stop = finish.stop();
          usage = finish.usage();
        }
      }
      Map<String, String> calls = new LinkedHashMap<>();
      names.forEach((piece, name) -> calls.put(name, object(arguments.get(piece).toString())));
      return new Read(once(words, stop), thoughts.toString(), calls, stop, known(usage));
    }

    static Read of(Answer answer) {
      StringBuilder words = new StringBuilder();
      StringBuilder thoughts = new StringBuilder();
      Map<String, String> calls = new LinkedHashMap<>();
      for (Piece piece : answer.pieces()) {
        if (piece instanceof Piece.Text text) {
          words.append(text.text());
        } else if (piece instanceof Piece.Refusal refusal) {
          words.append(refusal.text());
        } else if (piece instanceof Piece.Thought thought) {
          thoughts.append(thought.text());
        } else if (piece instanceof Piece.Call call) {
          calls.put(call.id() + " " + call.name(), object(call.arguments()));
        }
      }
      return new Read(
          once(words, answer.stop()),
          thoughts.toString(),
          calls,
          answer.stop(),
          known(answer.usage()));
    }

    private static String object(String arguments) {
      return arguments.isEmpty() ? "{}" : arguments;
    }

    private static Usage known(Usage usage) {
      return usage == null
          ? null
          : new Usage(
              usage.input(),
              Math.max(0, usage.cached()),
              0,
              usage.output(),
              Math.max(0, usage.reasoning()));
    }
  }

  private static Read read(Translator format, byte[] stream) throws IOException {
    List<AnswerEvent> events = new ArrayList<>();
    AnswerReader reader = format.openReader("maker");
    SseSplitter splitter = new SseSplitter(1 << 25);
    splitter.feed(
        stream,
        0,
        stream.length,
        event -> {
          if (event.dataStart() < event.dataEnd()) {
            String data = new String(event.data(), UTF_8);
            String name = event.name();
            if (data.equals("[DONE]")) {
              reader.done(events::add);
            } else {
              reader.read(name == null ? "" : name, JsonValue.of(data), events::add);
            }
          }
        });
    reader.end(events::add);
    return Read.of(events);
  }

  @ParameterizedTest
  @MethodSource(PAIRS)
  void aStreamIsTheSameAnswerHoweverItIsCut(Translator called, Translator target) throws Exception {
    Random random = new Random(47);
    for (int i = 0; i < ANSWERS; i++) {
      GeneratedAnswer answer = new GeneratedAnswer(random);
      byte[] stream = sent(target, answer.events);
      check(target, stream);
      byte[] whole = translated(open(called, target), stream, stream.length, null);
      String shown = new String(stream, UTF_8) + "\n\n" + new String(whole, UTF_8);
      assertThat(check(called, whole)).as(shown).isFalse();
      assertThat(text(translated(open(called, target), stream, 1, null), called))
          .isEqualTo(text(whole, called));
      assertThat(text(translated(open(called, target), stream, 60, random), called))
          .isEqualTo(text(whole, called));

      Read expected = Read.of(answer.whole());
      assertThat(read(called, whole)).as(shown).isEqualTo(expected);
      byte[] once =
          target.writeAnswer(
              answer.whole(),
              new Called(
                  JsonValue.of(body(target)),
                  new Names(List.of()),
                  null,
                  "maker",
                  () -> 7,
                  String::length));
      byte[] answered = open(called, target).answer(once);
      assertThat(Read.of(called.readAnswer(JsonValue.parse(answered), "maker")))
          .as(text(once, target) + "\n\n" + text(answered, called))
          .isEqualTo(expected);
      assertStored(called, whole, expected);
    }
  }

  /** The text of a stream without the ids and times that the gateway makes up. */
  private static String text(byte[] stream, Translator format) {
    return new String(stream, UTF_8)
        .replaceAll("\"(created|created_at|completed_at)\":\\d+", "\"time\":0")
        .replaceAll(
            "\"(id|item_id)\":\"(msg|rs|fc|ctc|resp|chatcmpl)[-_][^\"]*\"", "\"$1\":\"$2\"");
  }

  /** What memory stores of a stream says what the stream says. */
  private static void assertStored(Translator called, byte[] stream, Read expected)
      throws IOException {
    Format format = format(called);
    AnswerAssembler assembler = format.openAssembler(1 << 24, bytes -> true);
    SseSplitter splitter = new SseSplitter(64);
    splitter.feed(stream, 0, stream.length, assembler::accept);
    StringBuilder words = new StringBuilder();
    Map<String, String> calls = new LinkedHashMap<>();
    assembler
        .messages()
        .forEach(
            message ->
                message
                    .utterance()
                    .parts()
                    .forEach(
                        part -> {
                          if (part instanceof Part.Text text) {
                            words.append(text.text());
                          } else if (part instanceof Part.ToolCall call) {
                            calls.put(call.id() + " " + call.name(), call.arguments());
                          } else if (part instanceof Part.Other other) {
                            words.append(other.text());
                          }
                        }));
    assertThat(assembler.unreadable()).isFalse();
    assertThat(once(words, expected.stop()))
        .as(new String(stream, UTF_8))
        .isEqualTo(expected.words());
    assertThat(calls).isEqualTo(expected.calls());
  }

  private static Format format(Translator translator) {
    return switch (translator.shape()) {
      case CHAT -> new ChatFormat();
      case MESSAGES -> new MessagesFormat();
      default -> new ResponsesFormat();
    };
  }

  private static final List<String> VALUES =
      List.of(
          "null",
          "1",
          "-7",
          "true",
          "\"\"",
          "\"x\"",
          "[]",
          "{}",
          "[[{}]]",
          "1e99",
          "[null]",
          "{\"type\":3}");

  @ParameterizedTest
  @MethodSource(PAIRS)
  void aSpoiltStreamIsAnAnswerOrAnError(Translator called, Translator target) throws Exception {
    Random random = new Random(48);
    int errors = 0;
    for (int i = 0; i < 10 * ANSWERS; i++) {
      List<String> events =
          new ArrayList<>(
              Arrays.asList(
                  new String(sent(target, new GeneratedAnswer(random).events), UTF_8)
                      .split("\n\n")));
      for (int faults = 1 + random.nextInt(3); faults > 0 && !events.isEmpty(); faults--) {
        spoil(events, random);
      }
      String spoilt = String.join("\n\n", events) + (events.isEmpty() ? "" : "\n\n");
      byte[] stream = spoilt.getBytes(UTF_8);
      if (random.nextInt(10) == 0 && stream.length > 0) {
        stream[random.nextInt(stream.length)] = (byte) random.nextInt(256);
      }
      byte[] told;
      try {
        told = translated(open(called, target), stream, 200, random);
        errors += check(called, told) ? 1 : 0;
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(i + " " + new String(stream, UTF_8), e);
      }
    }
    assertThat(errors).isBetween(10, 9 * ANSWERS);
  }

  /** Every event of a stream dropped, doubled, moved, and every place where it may be cut. */
  @ParameterizedTest
  @MethodSource(PAIRS)
  void oneFaultAnywhereIsAnAnswerOrAnError(Translator called, Translator target) throws Exception {
    Random random = new Random(49);
    for (int i = 0; i < 8; i++) {
      byte[] sent = sent(target, new GeneratedAnswer(random).events);
      List<String> events = Arrays.asList(new String(sent, UTF_8).split("\n\n"));
      for (int at = 0; at < 4 * events.size(); at++) {
        List<String> spoilt = new ArrayList<>(events);
        int which = at / 4;
        switch (at % 4) {
          case 0 -> spoilt.remove(which);
          case 1 -> spoilt.add(which, events.get(which));
          case 2 -> spoilt.add(spoilt.remove(which));
          default -> spoilt.subList(which, spoilt.size()).clear();
        }
        byte[] stream = (String.join("\n\n", spoilt) + "\n\n").getBytes(UTF_8);
        check(called, translated(open(called, target), stream, stream.length, null));
      }
      for (int length = 0; length < sent.length; length += 7) {
        byte[] told =
            translated(open(called, target), Arrays.copyOf(sent, length), sent.length, null);
        check(called, told);
      }
    }
  }

  @ParameterizedTest
  @MethodSource(PAIRS)
  void aDefectIsTheErrorOfTheCalledFormat(Translator called, Translator target) throws Exception {
    AnswerReader broken =
        new AnswerReader() {
          private int taken;

          @Override
          public void read(String name, JsonValue data, Consumer<AnswerEvent> events) {
            events.accept(
                taken++ == 0
                    ? new AnswerEvent.Start("i", "m", 9, Usage.NONE)
                    : new AnswerEvent.Text(0, "said"));
            if (taken > 1) {
              throw new IllegalStateException("a defect");
            }
          }

          @Override
          public void end(Consumer<AnswerEvent> events) {}
        };
    Called known =
        new Called(
            JsonValue.of(body(called)),
            new Names(List.of()),
            null,
            "maker",
            () -> 7,
            String::length);
    StreamTranslation to = new StreamTranslation(broken, called.openWriter(known), finish -> {});
    byte[] stream = "data: {}\n\ndata: {}\n\n".getBytes(UTF_8);
    assertThatThrownBy(() -> to.take(stream, 0, stream.length))
        .isInstanceOf(IllegalStateException.class);

    byte[] told = to.broken();

    assertThat(check(called, told)).isTrue();
    assertThat(new String(told, UTF_8)).contains("said", "could not be translated");
    assertThat(to.take(stream, 0, stream.length)).isEmpty();
    assertThat(to.end()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource(PAIRS)
  void aContextThatIsTooLongIsSaidInTheWordsOfTheCalledFormat(Translator called, Translator target)
      throws Exception {
    for (String words : UpstreamErrorTest.TOO_LONG) {
      String error =
          "{\"type\":\"server_error\",\"code\":500,\"message\":%s}"
              .formatted(JsonWriter.quote(words));
      String event =
          target.shape() == Shape.CHAT
              ? "data: {\"error\":%s}\n\n".formatted(error)
              : "event: error\ndata: {\"type\":\"error\",\"error\":%s}\n\n".formatted(error);
      byte[] begin = sent(target, List.of(new AnswerEvent.Start("i", "m", 9, Usage.NONE)));
      byte[] stream = (new String(begin, UTF_8) + event).getBytes(UTF_8);

      String told = new String(translated(open(called, target), stream, 99, null), UTF_8);

      assertThat(check(called, told.getBytes(UTF_8))).isTrue();
      assertThat(told)
          .contains(
              called.shape() == Shape.MESSAGES
                  ? "\"message\":\"prompt is too long"
                  : "\"code\":\"context_length_exceeded\"");
    }
  }

  @ParameterizedTest
  @MethodSource(PAIRS)
  void anUnknownStopIsTheEndAndIsCounted(Translator called, Translator target) throws Exception {
    for (boolean known : new boolean[] {true, false}) {
      String stream =
          new String(
              sent(
                  target,
                  List.of(
                      new AnswerEvent.Start("i", "m", 9, Usage.NONE),
                      new AnswerEvent.Text(0, "said"),
                      new AnswerEvent.Finish(Stop.LENGTH, null, Usage.NONE),
                      new AnswerEvent.End())),
              UTF_8);
      String other =
          known
              ? stream
              : stream.replaceAll("\"(length|max_tokens|max_output_tokens)\"", "\"new\"");
      Translation translation = open(called, target);

      byte[] told = translated(translation, other.getBytes(UTF_8), 99, null);

      assertThat(translation.isStopUnknown()).isEqualTo(!known);
      assertThat(read(called, told).stop()).isEqualTo(known ? Stop.LENGTH : Stop.END);
    }
  }

  private static void spoil(List<String> events, Random random) {
    int at = random.nextInt(events.size());
    switch (random.nextInt(8)) {
      case 0 -> events.remove(at);
      case 1 -> events.add(at, events.get(at));
      case 2 -> events.add(random.nextInt(events.size()), events.remove(at));
      case 3 -> events.subList(at, events.size()).clear();
      case 4 ->
          events.add(at, "event: new.kind\ndata: {\"type\":\"new.kind\",\"delta\":{\"x\":1}}");
      default -> {
        String event = events.get(at);
        int from = event.indexOf("data: {");
        if (from < 0) {
          return;
        }
        JsonValue json = JsonValue.of(event.substring(from + 6));
        List<JsonValue> all = new ArrayList<>();
        collect(json, all);
        JsonValue place = all.get(random.nextInt(all.size()));
        byte[] raw = json.rawBytes();
        events.set(
            at,
            event.substring(0, from + 6)
                + new String(raw, 0, place.start(), UTF_8)
                + VALUES.get(random.nextInt(VALUES.size()))
                + new String(raw, place.end(), raw.length - place.end(), UTF_8));
      }
    }
  }

  private static void collect(JsonValue value, List<JsonValue> all) {
    all.add(value);
    value.items().forEach(item -> collect(item, all));
    value.fields().forEach(field -> collect(field.value(), all));
  }

  @ParameterizedTest
  @MethodSource(PAIRS)
  void fiftyThousandPiecesOfAHundredCallsAreWhole(Translator called, Translator target)
      throws Exception {
    List<AnswerEvent> events = new ArrayList<>();
    events.add(new AnswerEvent.Start("id", "m", 9, Usage.NONE));
    for (int i = 0; i < 100; i++) {
      events.add(new AnswerEvent.Call(i, "call_" + i, "f"));
      events.add(new AnswerEvent.Arguments(i, "{\"a\":[0"));
    }
    for (int i = 0; i < 50_000; i++) {
      events.add(new AnswerEvent.Arguments(i % 100, ",1"));
    }
    for (int i = 0; i < 100; i++) {
      events.add(new AnswerEvent.Arguments(i, "]}"));
      events.add(new AnswerEvent.Close(i));
    }
    events.add(new AnswerEvent.Finish(Stop.TOOLS, null, new Usage(1, 0, 0, 1, 0)));
    events.add(new AnswerEvent.End());

    byte[] told = translated(open(called, target), sent(target, events), 8192, null);

    assertThat(check(called, told)).isFalse();
    Read read = read(called, told);
    assertThat(read.calls()).hasSize(100);
    assertThat(read.calls().values())
        .allMatch(json -> json.length() == 1009 && JsonValue.isValid(json));
  }
}
