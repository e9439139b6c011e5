package io.memorygateway.turn;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.observation.ContextConfig;
import io.memorygateway.observation.ContextNotes;
import io.memorygateway.observation.RecallScope;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the ends of threads take of the bytes of a node, and what of them is sent. */
class ThreadTailTest {
  private static final String NUMBERS =
      "[" + String.join(",", Collections.nCopies(4000, "0")) + "]";
  private static final int MIB = 1 << 20;
  private static final int CHARACTERS_PER_TOKEN = 8;

  /** Nothing but the bytes is bounded. */
  private static final ContextConfig WIDE =
      new ContextConfig(100_000_000, 40_000, 0, RecallScope.THREAD, false, ZoneOffset.UTC);

  @Test
  void whatIsSentAgainWeighsWithAllThatIsMadeOutOfIt() {
    // 8 KB took about 215 KB of the heap (Java 17 and 25, compressed references).
    assertThat(tail(NUMBERS, true).weight()).isBetween(200_000L, 240_000L);
    assertThat(tail("\"" + "0 ".repeat(4000) + "\"", true).weight()).isBetween(24_000L, 27_000L);
  }

  @Test
  void ofWhatIsOnlyComparedAHashIsKeptAndWhatTheUserSaidLastInShort() {
    TailEntry.Text answer =
        new TailEntry.Text(
            new TailRow(0, "assistant", "text", Instant.EPOCH, false, false, null, MIB, text(MIB)),
            text(MIB),
            false);
    assertThat(ThreadTail.read(WIDE, ContextNotes.NONE, 0, List.of(answer)).weight())
        .isLessThan(1_000);
    assertThat(tail(NUMBERS, false).weight()).isLessThan(25_000);
    assertThat(tail(text(8 * MIB), false).weight()).isLessThan(102_000);
  }

  @Test
  void whatComesLaterAddsToIt() {
    ThreadTail tail = tail(NUMBERS, true);
    assertThat(tail.with(List.of(row(1, "user", NUMBERS))).weight())
        .isBetween(2 * tail.weight() - 1_000, 2 * tail.weight() + 1_000);
  }

  @Test
  void bytesOfContentAreThoseOfWhatMayBeSent() {
    ThreadTail tail = tail(text(500), false).with(List.of(row(1, "user", text(30))));
    tail = tail.with(List.of(row(2, "assistant", text(70)), row(3, "user", text(10))));
    assertThat(tail.contentBytes()).isEqualTo(110);
    assertThat(tail.bytes()).isEqualTo(110 + 3 * SizeBound.OVERHEAD);
  }

  @Test
  void theNewestThatFitsIsSentAndTheRestIsCounted() {
    ThreadTail tail = ThreadTail.empty(WIDE);
    for (int i = 0; i < 300; i++) {
      String role = i % 2 == 0 ? "user" : "assistant";
      tail = tail.with(List.of(counted(i, role, text(100_000 + i))));

      assertThat(tail.bytes()).isLessThanOrEqualTo(SizeBound.MAX_BYTES);
      assertThat(tail.weight()).isLessThan(4 * SizeBound.MAX_BYTES);
      TurnContext context = context(tail);
      assertThat(context.elided() + context.stored().size()).isEqualTo(i + 1);
    }
    assertThat(context(tail).stored()).hasSizeGreaterThan(60);
    assertThat(tail.messages()).hasSizeLessThan(300);
  }

  @Test
  void aTailThatGrowsSendsWhatOneThatIsReadDoesAndHoldsNoMoreForLong() {
    ContextConfig narrow =
        new ContextConfig(2_000, 500, 0, RecallScope.THREAD, false, ZoneOffset.UTC);
    ThreadTail grown = ThreadTail.empty(narrow);
    List<TailEntry.Text> texts = new ArrayList<>();
    for (int i = 0; i < 120; i++) {
      String role = i % 2 == 0 ? "user" : "assistant";
      String content = "\"" + "some words ".repeat(1 + i * 7 % 23) + "\"";
      grown = grown.with(List.of(row(i, role, content)));
      texts.add(
          new TailEntry.Text(
              new TailRow(
                  i, role, "text", Instant.EPOCH, false, false, null, content.length(), content),
              content,
              true));

      TurnContext ofRead = context(ThreadTail.read(narrow, ContextNotes.NONE, 0, texts));
      assertThat(context(grown).stored())
          .extracting(StoredMessage::content)
          .isEqualTo(ofRead.stored().stream().map(StoredMessage::content).toList());
      assertThat(context(grown).elided()).isEqualTo(ofRead.elided());
      long tokens =
          grown.messages().stream()
              .filter(entry -> entry.held() != null)
              .mapToLong(entry -> entry.heldMessage().cost())
              .sum();
      assertThat(tokens).isLessThan(narrow.bound() + 100);
    }
    assertThat(context(grown).elided()).isPositive();
  }

  /** The client has not kept the answer that broke off first; that stays as it is. */
  @Test
  void aCallThatIsMadeAgainCompletesWhatItBroughtAlone() {
    List<TailEntry.Text> texts = new ArrayList<>();
    for (String message : List.of("user 0", "assistant 1", "user 2", "user 2", "assistant 3")) {
      String role = message.substring(0, message.indexOf(' '));
      Instant time = Instant.ofEpochSecond(message.charAt(message.length() - 1));
      TailRow row = new TailRow(texts.size(), role, "text", time, true, false, null, 3, "\"a\"");
      texts.add(new TailEntry.Text(row, "\"a\"", true));
    }
    Amendment amendment =
        Amendment.ofRepeated(ThreadTail.read(WIDE, ContextNotes.NONE, 0, texts), 4, 3);

    assertThat(amendment.question()).isEqualTo(3);
    assertThat(amendment.interrupted()).containsExactly(2L, 3L);
  }

  @Test
  void theNewestMessageIsSentWhateverItsSize() {
    ThreadTail tail = ThreadTail.empty(WIDE).with(List.of(row(0, "user", "\"a\"")));
    tail = tail.with(List.of(counted(1, "user", text(9 * MIB))));

    assertThat(sent(tail)).containsExactly("user");
    assertThat(context(tail).elided()).isEqualTo(1);
    assertThat(tail.normalForms()).hasSize(2);
  }

  @Test
  void whatTheModelSaidLastStaysTogether() {
    ThreadTail tail =
        ThreadTail.empty(WIDE)
            .with(
                List.of(
                    counted(0, "user", text(5 * MIB)),
                    counted(1, "assistant", text(5 * MIB)),
                    counted(2, "assistant", text(5 * MIB))));

    assertThat(sent(tail)).containsExactly("assistant", "assistant");
    assertThat(sent(tail.with(List.of(row(3, "user", "\"x\"")))))
        .containsExactly("assistant", "user");
  }

  @Test
  void aResultIsNotSentWithoutItsCall() {
    List<MessageRow> rows = new ArrayList<>();
    rows.add(counted(0, "assistant", text(8 * MIB)));
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

    ThreadTail tail = ThreadTail.empty(WIDE).with(rows);

    assertThat(sent(tail)).containsExactly("assistant", "user");
    assertThat(context(tail).elided()).isEqualTo(2);
  }

  private static TurnContext context(ThreadTail tail) {
    return new ContextBuilder(tail, tail.messages().size(), true, Conversation.Own.NONE, null)
        .build(List.of());
  }

  private static List<String> sent(ThreadTail tail) {
    return context(tail).stored().stream().map(StoredMessage::role).toList();
  }

  private static ThreadTail tail(String content, boolean sent) {
    TailRow row =
        new TailRow(
            0, "user", "text", Instant.EPOCH, false, false, null, content.length(), content);
    return ThreadTail.read(
        WIDE, ContextNotes.NONE, 0, List.of(new TailEntry.Text(row, content, sent)));
  }

  private static String text(int length) {
    return "\"" + "x".repeat(length - 2) + "\"";
  }

  /** A message whose tokens are stored with it, as those of most are: counting takes long. */
  private static MessageRow counted(long seq, String role, String content) {
    return new MessageRow(
        seq,
        "m",
        role,
        "text",
        content,
        Instant.EPOCH,
        false,
        false,
        content.length() / CHARACTERS_PER_TOKEN);
  }

  private static MessageRow row(long seq, String role, String content) {
    return new MessageRow(seq, "m", role, "text", content, Instant.EPOCH, false, false);
  }
}
