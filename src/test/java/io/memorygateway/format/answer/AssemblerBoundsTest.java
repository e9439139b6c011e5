package io.memorygateway.format.answer;

import static io.memorygateway.format.Assembled.delta;
import static io.memorygateway.format.Assembled.event;
import static io.memorygateway.format.Assembled.feed;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Format;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.sse.SseSplitter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How much of an answer is held while it is streamed, and what room is asked for. */
class AssemblerBoundsTest {
  private final Format chat = new ChatFormat();

  @Test
  void holdsNoMoreThanItsBound() {
    StringBuilder stream = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      stream.append(delta("'content':'0123456789'"));
    }
    AnswerAssembler assembler = feed(chat, stream.toString(), 64, 500);

    assertThat(assembler.overflowed()).isTrue();
    assertThat(assembler.messages().get(0).content()).hasSize(502);

    AnswerAssembler one = feed(chat, delta("'content':'" + "x".repeat(2000) + "'"), 64, 500);
    assertThat(one.overflowed()).isTrue();
    assertThat(one.messages()).isEmpty();
  }

  @Test
  void roomIsAskedForBeforeMoreIsHeld() {
    String piece =
        "data: {'choices':[{'index':0,'delta':{'content':'" + "x".repeat(10_000) + "'}}]}\n\n";
    List<Long> asked = new ArrayList<>();
    AnswerAssembler roomy = chat.openAssembler(1 << 20, bytes -> asked.add(bytes), true);
    feedAll(roomy, piece.repeat(40));
    assertThat(roomy.overflowed()).isFalse();
    assertThat(asked.stream().mapToLong(Long::longValue).sum()).isBetween(380_000L, 500_000L);

    AnswerAssembler cramped = chat.openAssembler(1 << 20, bytes -> false, true);
    feedAll(cramped, piece);
    assertThat(cramped.overflowed()).as("what most answers take is not asked for").isFalse();
    feedAll(cramped, piece);
    assertThat(cramped.overflowed()).isTrue();
  }

  @Test
  void forTheFirst16KibibytesNoRoomIsAskedFor() {
    AnswerAssembler cramped = chat.openAssembler(1 << 20, bytes -> false, true);
    feedAll(cramped, delta("'content':'" + "x".repeat(8 << 10) + "'").repeat(2));
    assertThat(cramped.overflowed()).isFalse();
    feedAll(cramped, delta("'content':'x'"));
    assertThat(cramped.overflowed()).isTrue();
  }

  @Test
  void forLogprobsRoomIsAskedForWhereTheAnswerMayBeGivenAgain() {
    String chunk =
        "data: {'choices':[{'index':0,'delta':{'content':'x'},'logprobs':{'content':['"
            + "x".repeat(8 << 10)
            + "']}}]}\n\n";
    for (boolean again : new boolean[] {true, false}) {
      AnswerAssembler cramped = chat.openAssembler(1 << 20, bytes -> false, again);
      feedAll(cramped, chunk.repeat(3));
      assertThat(cramped.overflowed()).isEqualTo(again);
    }
  }

  @Test
  void forAnEventOfManyValuesRoomIsAskedForBeforeItIsParsed() {
    String event = "data: {'choices':[],'x':[" + "0,".repeat(100_000) + "0]}\n\n";
    List<Long> asked = new ArrayList<>();
    AnswerAssembler roomy = chat.openAssembler(1 << 20, bytes -> asked.add(bytes), true);
    feedAll(roomy, event);
    assertThat(roomy.overflowed()).isFalse();
    assertThat(asked.stream().mapToLong(Long::longValue).sum()).isGreaterThan(1 << 20);

    AnswerAssembler cramped = chat.openAssembler(1 << 20, bytes -> false, true);
    feedAll(cramped, event);
    assertThat(cramped.overflowed()).isTrue();
  }

  @Test
  void forManyValuesRoomIsAskedForWhateverTheirLength() {
    StringBuilder stream = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      stream.append(delta("'m" + i + "':1,'l':[0]"));
    }
    List<Long> asked = new ArrayList<>();
    AnswerAssembler roomy = chat.openAssembler(1 << 20, bytes -> asked.add(bytes), true);
    feedAll(roomy, stream.toString());
    assertThat(roomy.overflowed()).isFalse();
    assertThat(asked.stream().mapToLong(Long::longValue).sum()).isGreaterThan(2_900_000);

    feedAll(roomy, delta("'l':[" + "0,".repeat(7_000) + "0]").repeat(70));
    assertThat(roomy.overflowed()).as("of so many values").isTrue();
  }

  @Test
  void anEventOfTooManyValuesIsNotParsed() {
    AnswerAssembler assembler = chat.openAssembler(32 << 20, bytes -> true, true);
    feedAll(assembler, "data: {'choices':[],'x':[" + "0,".repeat(600_000) + "0]}\n\n");
    assertThat(assembler.overflowed()).isTrue();
  }

  private static void feedAll(AnswerAssembler assembler, String stream) {
    byte[] bytes = stream.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    try {
      new SseSplitter(1 << 20).feed(bytes, 0, bytes.length, assembler::accept);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
