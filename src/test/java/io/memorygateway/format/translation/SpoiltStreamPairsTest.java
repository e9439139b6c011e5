package io.memorygateway.format.translation;

import static io.memorygateway.format.translation.TranslatedStreams.body;
import static io.memorygateway.format.translation.TranslatedStreams.check;
import static io.memorygateway.format.translation.TranslatedStreams.open;
import static io.memorygateway.format.translation.TranslatedStreams.read;
import static io.memorygateway.format.translation.TranslatedStreams.sent;
import static io.memorygateway.format.translation.TranslatedStreams.translated;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.memorygateway.format.answer.UpstreamErrorTest;
import io.memorygateway.format.content.Shape;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.sse.EventSplitter;
import io.memorygateway.sse.SseEvent;
import io.memorygateway.testing.Runs;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract §14: whatever a target streams, the caller gets an answer or an error. */
class SpoiltStreamPairsTest {

  private static final String PAIRS =
      "io.memorygateway.format.translation.TranslationPairsTest#pairs";

  private static final int ANSWERS = Runs.of(100);

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

  /** Every event of a stream dropped, doubled, moved, and cuts at places everywhere in it. */
  @ParameterizedTest
  @MethodSource(PAIRS)
  void oneFaultAnywhereIsAnAnswerOrAnError(Translator called, Translator target) throws Exception {
    Random random = new Random(49);
    for (int i = 0; i < Runs.of(8); i++) {
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
      for (int length = 3 * i; length < sent.length; length += 23) {
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
            "m",
            null,
            "maker",
            () -> 7,
            String::length);
    List<RuntimeException> defects = new ArrayList<>();
    StreamTranslation to =
        new StreamTranslation(
            broken,
            called.openWriter(known),
            start -> {},
            finish -> {},
            defects::add,
            bytes -> true,
            List.of());
    byte[] stream = "data: {}\n\ndata: {}\n\ndata: {}\n\n".getBytes(UTF_8);
    ByteArrayOutputStream told = new ByteArrayOutputStream();

    to.feed(stream, 0, stream.length, event -> told.writeBytes(bytes(event)));

    assertThat(defects).singleElement().isInstanceOf(IllegalStateException.class);
    assertThat(check(called, told.toByteArray())).isTrue();
    assertThat(told.toString(UTF_8)).contains("said", "could not be translated");
    to.finish(event -> fail("%s behind the end", event));
  }

  /** Four times what it says is reserved, and what there is no room for ends it. */
  @ParameterizedTest
  @MethodSource(PAIRS)
  void whatIsHeldOfAStreamIsReserved(Translator called, Translator target) throws Exception {
    List<AnswerEvent> events = new ArrayList<>();
    events.add(new AnswerEvent.Start("a", "m", 1, Usage.NONE));
    for (int i = 0; i < 4_000; i++) {
      events.add(new AnswerEvent.Text(0, "a hundred times ten ".repeat(5)));
    }
    events.add(new AnswerEvent.Close(0));
    events.add(new AnswerEvent.Finish(Stop.END, null, Usage.NONE));
    events.add(new AnswerEvent.End());
    byte[] sent = sent(target, events);
    for (long room : new long[] {Long.MAX_VALUE, 600_000}) {
      long[] reserved = {0};
      StreamTranslation to =
          open(called, target)
              .openStream(
                  defect -> fail(defect),
                  bytes -> {
                    boolean fits = reserved[0] + bytes <= room;
                    reserved[0] += fits ? bytes : 0;
                    return fits;
                  });
      ByteArrayOutputStream told = new ByteArrayOutputStream();
      to.feed(sent, 0, sent.length, event -> told.writeBytes(bytes(event)));
      to.finish(event -> told.writeBytes(bytes(event)));

      assertThat(check(called, told.toByteArray())).isEqualTo(room < Long.MAX_VALUE);
      if (room < Long.MAX_VALUE) {
        assertThat(told.toString(UTF_8)).contains("as many answers as it can");
        assertThat(told.size()).isLessThan(sent.length);
      } else {
        assertThat(reserved[0]).isBetween(1_500_000L, 1_700_000L);
      }
    }
  }

  /** So is what is held of an event that comes in pieces, before anything can be read of it. */
  @ParameterizedTest
  @MethodSource(PAIRS)
  void whatIsHeldOfALargeEventIsReserved(Translator called, Translator target) throws Exception {
    byte[] sent =
        sent(
            target,
            List.of(
                new AnswerEvent.Start("a", "m", 1, Usage.NONE),
                new AnswerEvent.Text(0, "a hundred times ten ".repeat(20_000)),
                new AnswerEvent.Close(0),
                new AnswerEvent.Finish(Stop.END, null, Usage.NONE),
                new AnswerEvent.End()));
    for (boolean room : new boolean[] {true, false}) {
      StreamTranslation to =
          open(called, target).openStream(defect -> fail(defect), bytes -> room || bytes < 100_000);
      ByteArrayOutputStream told = new ByteArrayOutputStream();
      for (int at = 0; at < sent.length; at += 10_000) {
        to.feed(
            sent, at, Math.min(10_000, sent.length - at), event -> told.writeBytes(bytes(event)));
      }
      to.finish(event -> told.writeBytes(bytes(event)));

      assertThat(check(called, told.toByteArray())).isEqualTo(!room);
      assertThat(told.toString(UTF_8).contains("as many answers as it can")).isEqualTo(!room);
    }
  }

  /** What the sink throws, as when a turn is not stored, is no defect of the translation. */
  @ParameterizedTest
  @MethodSource(PAIRS)
  void whatTheSinkThrowsComesThrough(Translator called, Translator target) throws Exception {
    byte[] sent = sent(target, new GeneratedAnswer(new Random(50)).events);
    StreamTranslation to = open(called, target).openStream(defect -> fail(defect), bytes -> true);
    RuntimeException thrown = new IllegalStateException("not stored");
    EventSplitter.Sink sink =
        event -> {
          throw thrown;
        };
    assertThatThrownBy(() -> to.feed(sent, 0, sent.length, sink)).isSameAs(thrown);
  }

  private static byte[] bytes(SseEvent event) {
    return Arrays.copyOfRange(event.array(), event.offset(), event.offset() + event.length());
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

  @Tag("heavy")
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
    events.add(new AnswerEvent.Finish(Stop.TOOLS, null, TestUsage.of(1, 0, 0, 1, 0)));
    events.add(new AnswerEvent.End());

    byte[] told = translated(open(called, target), sent(target, events), 8192, null);

    assertThat(check(called, told)).isFalse();
    TranslatedStreams.Read read = read(called, told);
    assertThat(read.calls()).hasSize(100);
    assertThat(read.calls().values())
        .allMatch(json -> json.length() == 1009 && JsonValue.isValid(json));
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
}
