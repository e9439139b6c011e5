package io.memorygateway.turn;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.dialect.MemoryContext;
import io.memorygateway.dialect.StoredMessage;
import io.memorygateway.memory.MessageRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the ends of threads take of the bytes of a node, and what of them is sent. */
class ThreadTailTest {
  private static final String NUMBERS =
      "[" + String.join(",", Collections.nCopies(4000, "0")) + "]";
  private static final int MIB = 1 << 20;

  @Test
  void whatIsSentAgainWeighsWithAllThatIsMadeOutOfIt() {
    // 8 KB took about 215 KB of the heap (Java 17 and 25, compressed references).
    assertThat(tail(NUMBERS, true).weight()).isBetween(200_000L, 240_000L);
    assertThat(tail("\"" + "0 ".repeat(4000) + "\"", true).weight()).isBetween(24_000L, 27_000L);
  }

  @Test
  void ofWhatIsOnlyComparedNothingIsKeptButAHash() {
    assertThat(tail(NUMBERS, false).weight()).isLessThan(1_000);
    assertThat(tail(text(8 * MIB), false).weight()).isLessThan(1_000);
  }

  @Test
  void whatComesLaterAddsToIt() {
    ThreadTail tail = tail(NUMBERS, true);
    assertThat(tail.with(List.of(row(1, "user", NUMBERS))).weight())
        .isBetween(2 * tail.weight() - 1_000, 2 * tail.weight() + 1_000);
  }

  @Test
  void theNewestThatFitsIsSentAndTheRestIsCounted() {
    ThreadTail tail = ThreadTail.EMPTY;
    for (int i = 0; i < 300; i++) {
      String role = i % 2 == 0 ? "user" : "assistant";
      tail = tail.with(List.of(row(i, role, text(100_000 + i))));

      assertThat(tail.bytes()).isLessThanOrEqualTo(ThreadTail.MOST_SENT);
      assertThat(tail.weight()).isLessThan(4 * ThreadTail.MOST_SENT);
      MemoryContext context = tail.context(tail.messages().size());
      assertThat(context.elided() + context.stored().size()).isEqualTo(i + 1);
    }
    assertThat(tail.context(tail.messages().size()).stored()).hasSizeGreaterThan(80);
    assertThat(tail.messages()).hasSizeLessThan(300);
  }

  @Test
  void theNewestMessageIsSentWhateverItsSize() {
    ThreadTail tail = ThreadTail.EMPTY.with(List.of(row(0, "user", "\"a\"")));
    tail = tail.with(List.of(row(1, "user", text(9 * MIB))));

    assertThat(sent(tail)).containsExactly("user");
    assertThat(tail.elided()).isEqualTo(1);
    assertThat(tail.normalForms()).hasSize(2);
  }

  @Test
  void whatTheModelSaidLastStaysTogether() {
    ThreadTail tail =
        ThreadTail.EMPTY.with(
            List.of(
                row(0, "user", text(5 * MIB)),
                row(1, "assistant", text(5 * MIB)),
                row(2, "assistant", text(5 * MIB))));

    assertThat(sent(tail)).containsExactly("assistant", "assistant");
    assertThat(sent(tail.with(List.of(row(3, "user", "\"x\"")))))
        .containsExactly("assistant", "user");
  }

  @Test
  void aResultIsNotSentWithoutItsCall() {
    List<MessageRow> rows = new ArrayList<>();
    rows.add(row(0, "assistant", text(8 * MIB)));
    rows.add(
        new MessageRow(
            1,
            "m",
            "tool",
            "tool-result",
            "{\"tool_call_id\":\"c\",\"content\":\"x\"}",
            Instant.EPOCH,
            false,
            false));
    rows.add(row(2, "assistant", "\"y\""));
    rows.add(row(3, "user", "\"z\""));

    ThreadTail tail = ThreadTail.EMPTY.with(rows);

    assertThat(sent(tail)).containsExactly("assistant", "user");
    assertThat(tail.elided()).isEqualTo(2);
  }

  private static List<String> sent(ThreadTail tail) {
    return tail.context(tail.messages().size()).stored().stream().map(StoredMessage::role).toList();
  }

  private static ThreadTail tail(String content, boolean sent) {
    TailOutline.Row row = new TailOutline.Row(0, "user", "text", false, content.length(), content);
    return ThreadTail.of(null, 0, List.of(ThreadTail.Entry.of(row, content, sent)));
  }

  private static String text(int length) {
    return "\"" + "x".repeat(length - 2) + "\"";
  }

  private static MessageRow row(long seq, String role, String content) {
    return new MessageRow(seq, "m", role, "text", content, Instant.EPOCH, false, false);
  }
}
