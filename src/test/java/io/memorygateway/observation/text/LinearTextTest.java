package io.memorygateway.observation.text;

import static io.memorygateway.testing.HostileText.assertLinear;

import io.memorygateway.format.content.Media;
import io.memorygateway.format.content.MessagePiece;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The work of the observers grows with the length of what they read, and no faster. */
@Tag("heavy")
class LinearTextTest {
  private static final int LENGTH = 1_500;
  private static final TokenCounter COUNTER = new TokenCounter();

  private final ObserverChain chain =
      new ObserverChain(null, COUNTER, 0.215, () -> {}, reason -> {});

  @Test
  void messagesAreObserved() {
    assertLinear(LENGTH, text -> observe(new MessagePiece.Text(text)));
  }

  @Test
  void toolsAreObserved() {
    // It stands there five times.
    assertLinear(
        LENGTH / 3,
        text ->
            observe(
                new MessagePiece.ToolCall("id", text, text),
                new MessagePiece.ToolResult("id", List.of(new MessagePiece.Text(text)), false),
                new MessagePiece.Attachment(
                    true, text, new Media(null, null, null, null, text), null)));
  }

  @Test
  void logsAreCondensed() {
    assertLinear(
        LENGTH,
        text -> {
          reflect(text);
          reflect("* User: " + text);
        });
  }

  @Test
  void codeIsFound() {
    Instant now = Instant.EPOCH;
    assertLinear(
        LENGTH,
        text ->
            CodeBlocks.without(
                new Passage("user", now, Passage.Kind.TEXT, "", "~~~\n" + text + "`")));
  }

  @Test
  void answersOfModelsAreRead() {
    assertLinear(
        LENGTH,
        text -> {
          answer(text);
          answer("<observations>\n* " + text + "\n</observations>");
        });
  }

  @Test
  void whatIsAskedOfAModelIsWritten() {
    assertLinear(
        LENGTH,
        text -> {
          Passage passage = new Passage("user", Instant.EPOCH, Passage.Kind.TEXT, text, text);
          Transcript.ofMessages(
              List.of(passage), List.of(passage), text, Shown.NOTHING, new Random(1));
          ObservationLog.toAppend(text, text);
          ObservationLog.rest(text, text.length() / 2);
        });
  }

  private void observe(MessagePiece... pieces) {
    UnobservedMessage message =
        new UnobservedMessage(1, "m", "user", List.of(pieces), Instant.EPOCH, 1);
    try {
      chain.observe(List.of(message), List.of(message), "", 2_000, "");
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void reflect(String log) {
    try {
      chain.reflect(log, 100, 1_000, "");
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void answer(String text) {
    try {
      AnswerParser.parse(text, false);
    } catch (BadAnswerException e) {
      // as an answer may be
    }
  }
}
