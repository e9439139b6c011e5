package io.memorygateway.sse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SseSplitterTest {
  private final List<String> out = new ArrayList<>();
  private SseSplitter splitter = new SseSplitter(1 << 20);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "data: x\n\n",
        "data: x\r\n\r\n",
        "data: x\r\r",
        "data: x\r\n\n",
        "data: x\n\r\n",
        "data: x\n\r",
        ": comment\n\n",
        "\n",
        "\r\n",
        "\ufeffdata: x\n\n",
        "id: 1\nevent: e\ndata: x\ndata:\n\n"
      })
  void handsAnEventOutAsSoonAsItIsComplete(String event) throws IOException {
    feed(event);

    assertThat(out).containsExactly(event);
  }

  @Test
  void handsOutEveryEventOfAChunk() throws IOException {
    feed("data: 1\n\ndata: 2\r\n\r\ndata: 3\r\r: c\n\ndata: 4");

    assertThat(out).containsExactly("data: 1\n\n", "data: 2\r\n\r\n", "data: 3\r\r", ": c\n\n");
  }

  @Test
  void holdsAnIncompleteEventBack() throws IOException {
    feed("data: 1\n");
    feed("da");
    feed("ta: 2");
    assertThat(out).isEmpty();

    feed("\n\ndata: 3\n\nda");
    assertThat(out).containsExactly("data: 1\ndata: 2\n\n", "data: 3\n\n");
  }

  @Test
  void asksForTheHeapOfALargeEventOnceAndPassesItOnInPiecesWithoutHeap() throws IOException {
    long[] left = {260 << 10};
    splitter =
        new SseSplitter(
            1 << 20,
            more -> {
              boolean there = more <= left[0];
              left[0] -= there ? more : 0;
              return there;
            });
    String fits = "data: " + "x".repeat(250 << 10) + "\n\n";
    String tooLarge = "data: " + "x".repeat(500 << 10) + "\n\n";
    for (String event : List.of(fits, fits, tooLarge, fits)) {
      out.clear();
      for (int at = 0; at < event.length(); at += 10_000) {
        feed(event.substring(at, Math.min(event.length(), at + 10_000)));
      }
      assertThat(String.join("", out)).isEqualTo(event);
      assertThat(out.size() == 1).isEqualTo(event.equals(fits));
    }
    assertThat(left[0]).isNotNegative();
  }

  @Test
  void doesNotTakeASplitCrLfForABlankLine() throws IOException {
    feed("event: x\r");
    feed("\ndata: 1\r");
    feed("\n");
    assertThat(out).isEmpty();

    feed("\r\n");
    assertThat(out).containsExactly("event: x\r\ndata: 1\r\n\r\n");
  }

  @Test
  void doesNotWaitForTheLineFeedOfTheLastCarriageReturn() throws IOException {
    feed("data: 1\r\n\r");
    assertThat(out).containsExactly("data: 1\r\n\r");

    feed("\n");
    assertThat(out).containsExactly("data: 1\r\n\r", "\n");

    feed("\ndata: 2\n\n");
    assertThat(out).containsExactly("data: 1\r\n\r", "\n", "\n", "data: 2\n\n");
  }

  @Test
  void doesNotCopyWholeEvents() throws IOException {
    byte[] chunk = "xxdata: 1\n\ndata: 2\n\n".getBytes(UTF_8);

    splitter.feed(chunk, 2, chunk.length - 2, event -> assertThat(event.array()).isSameAs(chunk));
  }

  @Test
  void handsOutWhatIsHeldAtTheEndOfTheInput() throws IOException {
    feed("data: 1\n\ndata: [DO");
    feed("NE]\n");
    splitter.finish(this::collect);
    splitter.finish(this::collect);

    assertThat(out).containsExactly("data: 1\n\n", "data: [DONE]\n");
  }

  @Test
  void passesAnEventOnThatIsTooLargeToHold() throws IOException {
    splitter = new SseSplitter(10);
    byte[] chunk = "xxxdata: 7890".getBytes(UTF_8);
    splitter.feed(chunk, 3, 10, this::collect);
    assertThat(out).isEmpty();
    assertThat(splitter.inEvent()).isFalse();

    feed("1");
    assertThat(out).containsExactly("data: 78901");
    assertThat(splitter.inEvent()).isTrue();

    feed("2");
    feed("3\n");
    feed("\ndata: 2\n\n");
    assertThat(out).containsExactly("data: 78901", "2", "3\n", "\n", "data: 2\n\n");
    assertThat(splitter.inEvent()).isFalse();
  }

  @Test
  void tellsThePiecesOfALargeEventApart() throws IOException {
    splitter = new SseSplitter(4);
    List<String> ends = new ArrayList<>();
    for (String chunk : List.of("data: 1", "2", "\n\n", "x\n\n")) {
      byte[] bytes = chunk.getBytes(UTF_8);
      splitter.feed(bytes, 0, bytes.length, e -> ends.add(e.startsEvent() + " " + e.endsEvent()));
    }

    assertThat(ends).containsExactly("true false", "false false", "false true", "true true");
  }

  @Test
  void anEventOfALargeChunkIsNotBounded() throws IOException {
    splitter = new SseSplitter(4);
    feed("data: 123456789\n\n");

    assertThat(out).containsExactly("data: 123456789\n\n");
  }

  /** Whatever the cuts: every byte goes out in order, and each event the moment it is complete. */
  @Test
  void cutsRandomStreamsAtRandomPlaces() throws IOException {
    Random random = new Random(20261120);
    for (int round = 0; round < 5000; round++) {
      byte[] stream = randomStream(random);
      List<Integer> ends = eventEnds(stream);
      splitter = new SseSplitter(1 << 20);
      ByteArrayOutputStream handedOut = new ByteArrayOutputStream();
      int fed = 0;
      while (fed < stream.length) {
        int length = 1 + random.nextInt(Math.min(12, stream.length - fed));
        splitter.feed(stream, fed, length, e -> handedOut.write(e.array(), e.offset(), e.length()));
        fed += length;
        int now = fed;
        int complete = ends.stream().filter(end -> end <= now).reduce(0, Math::max);
        assertThat(handedOut.size()).isBetween(complete, fed);
        boolean orphan = handedOut.size() == complete + 1 && stream[complete] == '\n';
        assertThat(handedOut.size() == complete || orphan).isTrue();
      }
      splitter.finish(e -> handedOut.write(e.array(), e.offset(), e.length()));
      assertThat(handedOut.toByteArray()).isEqualTo(stream);
    }
  }

  @Test
  void losesNoByteOfLargeEventsEither() throws IOException {
    Random random = new Random(7);
    for (int round = 0; round < 5000; round++) {
      byte[] stream = randomStream(random);
      splitter = new SseSplitter(random.nextInt(20));
      ByteArrayOutputStream handedOut = new ByteArrayOutputStream();
      int fed = 0;
      while (fed < stream.length) {
        int length = 1 + random.nextInt(Math.min(12, stream.length - fed));
        splitter.feed(stream, fed, length, e -> handedOut.write(e.array(), e.offset(), e.length()));
        fed += length;
      }
      splitter.finish(e -> handedOut.write(e.array(), e.offset(), e.length()));
      assertThat(handedOut.toByteArray()).isEqualTo(stream);
    }
  }

  private static byte[] randomStream(Random random) {
    String[] parts = {
      "\n", "\r", "\r\n", "\n\n", "\r\n\r\n", "data: ", "data:é😀", "event: x", ": c", "", "日本"
    };
    StringBuilder stream = new StringBuilder(random.nextBoolean() ? "\ufeff" : "");
    for (int i = random.nextInt(40); i >= 0; i--) {
      stream.append(parts[random.nextInt(parts.length)]);
    }
    return stream.toString().getBytes(UTF_8);
  }

  /** Where events end at the earliest, by the plain rule: a line end after an empty line. */
  private static List<Integer> eventEnds(byte[] stream) {
    List<Integer> ends = new ArrayList<>();
    String text = new String(stream, java.nio.charset.StandardCharsets.ISO_8859_1);
    java.util.regex.Matcher line =
        java.util.regex.Pattern.compile("[^\\r\\n]*(?:\\r\\n|\\r|\\n)").matcher(text);
    while (line.lookingAt()) {
      if (line.group().isBlank()) {
        ends.add(line.group().equals("\r\n") ? line.end() - 1 : line.end());
      }
      line.region(line.end(), text.length());
    }
    return ends;
  }

  private void feed(String chunk) throws IOException {
    byte[] bytes = chunk.getBytes(UTF_8);
    splitter.feed(bytes, 0, bytes.length, this::collect);
  }

  private void collect(SseEvent event) {
    out.add(new String(event.array(), event.offset(), event.length(), UTF_8));
  }
}
