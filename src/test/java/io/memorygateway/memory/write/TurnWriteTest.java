package io.memorygateway.memory.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.memory.rows.LastCall;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.NewMessage;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Contract §7: what a second attempt of a call brings. */
class TurnWriteTest {
  private static final NewMessage QUESTION =
      new NewMessage("q", "user", "text", "\"q\"", null, false);
  private static final NewMessage ANSWER =
      new NewMessage("a", "assistant", "text", "\"a\"", null, false);

  @Test
  void itsAnswerInThePlaceOfTheOneBefore() {
    TurnWrite second =
        write(new TurnWrite.Branch(2, List.of(1L), Set.of(4L)), QUESTION, ANSWER)
            .inPlaceOf(new LastCall("c", true, 9, 10, false, null), false, List.of(8L));
    assertThat(second.messages()).containsExactly(ANSWER);
    assertThat(second.branch()).isEqualTo(new TurnWrite.Branch(2, List.of(1L), Set.of(4L, 8L)));
  }

  @Test
  void goesBackToWhatOthersHaveLeftMeanwhile() {
    TurnWrite.Known known = new TurnWrite.Known(5, List.of(3L, 4L, 5L));
    TurnWrite.Branch own = new TurnWrite.Branch(5, List.of(9L), Set.of(7L));
    TurnWrite turn = new TurnWrite(List.of(ANSWER), null, null, List.of(), own, known, true, null);
    assertThat(turn.mayBeLeft(5)).isFalse();
    assertThat(turn.mayBeLeft(6)).isTrue();
    assertThat(turn.goingBackTo(List.of(4L, 5L)).branch())
        .isEqualTo(new TurnWrite.Branch(3, List.of(4L, 5L, 9L), Set.of(3L, 4L, 5L, 7L)));
  }

  @Test
  void itsAnswerMakesOneThatBrokeOffComplete() {
    TurnWrite second =
        write(null, QUESTION, ANSWER)
            .inPlaceOf(new LastCall("c", false, 9, 9, true, null), true, List.of(8L));
    assertThat(second.messages()).containsExactly(ANSWER);
    assertThat(second.interrupted()).containsExactly(8L);
    assertThat(second.branch()).isEqualTo(new TurnWrite.Branch(8, List.of(), Set.of()));
  }

  @Test
  void nothingIfItBrokeOffAloneAndWhatAnEarlierAttemptToStoreItLeft() {
    TurnWrite broken =
        new TurnWrite(
            List.of(QUESTION, ANSWER),
            new TurnCall("c", true, false, 7, 1),
            null,
            List.of(),
            null,
            false,
            null);
    assertThat(
            broken
                .inPlaceOf(new LastCall("c", false, 9, 10, false, null), false, List.of(8L))
                .messages())
        .isEmpty();
    assertThat(
            broken
                .inPlaceOf(new LastCall("c", false, 9, 10, true, null), true, List.of(8L))
                .messages())
        .containsExactly(ANSWER);
    assertThat(broken.asStored(List.of("a")).messages()).containsExactly(ANSWER);
    TurnCall again = new TurnCall("c", true, false, 7, 0);
    TurnWrite repeated = new TurnWrite(List.of(ANSWER), again, 8L, List.of(8L), null, false, null);
    assertThat(repeated.inPlaceOf(new LastCall("c", false, 9, 10, false, null), false, List.of()))
        .isEqualTo(new TurnWrite(List.of(), again, null, List.of(), null, false, null));
  }

  @Test
  void nothingIfItIsOnlyToBeSummedUp() {
    assertThat(
            write(null, QUESTION)
                .inPlaceOf(new LastCall("c", false, 9, 9, false, null), false, List.of(8L))
                .messages())
        .isEmpty();
    assertThat(
            write(null, QUESTION)
                .inPlaceOf(new LastCall("c", true, 9, 10, false, null), false, List.of(8L))
                .messages())
        .isEmpty();
  }

  @Test
  void itsAnswerBehindAnEmptyOne() {
    TurnWrite second =
        write(null, QUESTION, ANSWER)
            .inPlaceOf(new LastCall("c", false, 9, 9, false, null), false, List.of(8L));
    assertThat(second.messages()).containsExactly(ANSWER);
    assertThat(second.interrupted()).isEmpty();
    assertThat(second.branch()).isEqualTo(new TurnWrite.Branch(8, List.of(), Set.of()));
  }

  @Test
  void whatItAsksIsThereIfTheMessagesAreTheSame() {
    TurnWrite turn = write(null, QUESTION, ANSWER);
    assertThat(turn.asks(List.of(row("user", "\"q\"")))).isTrue();
    assertThat(turn.asks(List.of(row("assistant", "\"q\"")))).isFalse();
    // Of what was only to be summed up, some may not be stored.
    assertThat(turn.asks(List.of(row("user", "\"before\"")))).isFalse();
    assertThat(turn.asks(List.of())).isFalse();
  }

  private static MessageRow row(String role, String content) {
    return new MessageRow(8, "m", role, "text", content, Instant.EPOCH, false, false, null);
  }

  private static TurnWrite write(TurnWrite.@Nullable Branch branch, NewMessage... messages) {
    return new TurnWrite(
        List.of(messages),
        new TurnCall("c", false, false, 7, 1),
        null,
        List.of(),
        branch,
        true,
        null);
  }
}
