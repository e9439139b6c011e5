package io.memorygateway.observation.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.content.Media;
import io.memorygateway.format.content.MessagePiece;
import io.memorygateway.observation.text.Passage.Kind;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What of a message an observer reads. */
class PassagesTest {
  private static final Instant TIME = Instant.parse("2026-11-20T09:30:15Z");
  private static final Media PNG = Media.ofData("image/png", "AAAA");
  private static final Media PLAN = new Media(null, "text/plain", null, null, "the plan");

  @Test
  void everyReadablePieceIsOne() {
    assertThat(
            Passages.of(
                List.of(
                    message(
                        "assistant",
                        new MessagePiece.Text("said"),
                        new MessagePiece.Text(" \n"),
                        new MessagePiece.Reasoning("{\"thinking\":\"secret\"}"),
                        new MessagePiece.ToolCall("c", "search", ""),
                        new MessagePiece.Other("{\"type\":\"new\"}")),
                    message(
                        "user",
                        new MessagePiece.ToolResult("c", List.of(new MessagePiece.Text("3")), true),
                        new MessagePiece.ToolResult(
                            "?", List.of(new MessagePiece.Text("4")), false),
                        new MessagePiece.Attachment(true, "a\n cat", PNG, null),
                        new MessagePiece.Attachment(false, "plan.txt", PLAN, null)))))
        .containsExactly(
            new Passage("assistant", TIME, Kind.TEXT, "", "said"),
            new Passage("assistant", TIME, Kind.TOOL_CALL, "search", ""),
            new Passage("assistant", TIME, Kind.TEXT, "", "{\"type\":\"new\"}"),
            new Passage("user", TIME, Kind.TOOL_RESULT, "search", "error: 3"),
            new Passage("user", TIME, Kind.TOOL_RESULT, "", "4"),
            new Passage("user", TIME, Kind.IMAGE, "", "a cat", PNG),
            new Passage("user", TIME, Kind.FILE, "", "plan.txt", PLAN),
            new Passage("user", TIME, Kind.TEXT, "attachment", "the plan"));
  }

  @Test
  void aResultNamesItsImagesAndFiles() {
    List<MessagePiece> content =
        List.of(
            new MessagePiece.Text("see "),
            new MessagePiece.Attachment(true, "cat.png", PNG, null),
            new MessagePiece.Attachment(false, "a\nb", PLAN, null),
            new MessagePiece.Reasoning("{}"),
            new MessagePiece.Other("[1]"));
    assertThat(
            Passages.of(List.of(message("tool", new MessagePiece.ToolResult("c", content, false)))))
        .containsExactly(
            new Passage("tool", TIME, Kind.TOOL_RESULT, "", "see [image cat.png][file a b][1]"));
  }

  @Test
  void ofLongArgumentsTheBeginningAndTheEndAreRead() {
    String longest = "b" + "x".repeat(Passages.MAX_TOOL_CHARACTERS - 2) + "e";
    assertThat(arguments(longest)).isEqualTo(longest);
    String longer = "b".repeat(15_000) + "xxxxxxx" + "e".repeat(5_000);
    assertThat(arguments(longer))
        .isEqualTo("b".repeat(15_000) + "\n[… 7 characters left out …]\n" + "e".repeat(5_000));
  }

  /** A text of any size may be stored, but the work of observing it is bounded. */
  @Test
  void ofALongMessageTheBeginningAndTheEndAreRead() {
    int max = Passages.MAX_MESSAGE_CHARACTERS;
    String text = "b".repeat(max / 2);
    String longer = "c".repeat(3 * max) + "e";
    List<Passage> passages =
        Passages.of(
            List.of(
                message(
                    "user",
                    new MessagePiece.Text(text),
                    new MessagePiece.Text(longer),
                    new MessagePiece.Text("d")),
                message("user", new MessagePiece.Text("another"))));
    assertThat(passages).hasSize(3);
    assertThat(passages.get(0).text()).isEqualTo(text);
    assertThat(passages.get(1).text())
        .startsWith("c")
        .contains("characters left out")
        .endsWith("e")
        .hasSizeBetween(max / 2, max / 2 + 100);
    assertThat(passages.get(2).text()).isEqualTo("another");
  }

  @ParameterizedTest
  @ValueSource(ints = {14_999, 15_000, 25_000, 25_001})
  void noCharacterIsCutInHalf(int at) {
    String text = "x".repeat(at) + "😀" + "y".repeat(29_998 - at);
    assertThat(arguments(text).codePoints())
        .noneMatch(point -> Character.getType(point) == Character.SURROGATE);
  }

  @Test
  void aNameIsOneShortLine() {
    String name = "n".repeat(199) + "😀" + "n";
    assertThat(name(name)).isEqualTo("n".repeat(199));
    assertThat(name("n".repeat(200))).hasSize(200);
    assertThat(name("n".repeat(201))).hasSize(200);
  }

  private static String arguments(String arguments) {
    return Passages.of(
            List.of(message("assistant", new MessagePiece.ToolCall("c", "f", arguments))))
        .get(0)
        .text();
  }

  private static String name(String name) {
    return Passages.of(List.of(message("user", new MessagePiece.Attachment(true, name, PNG, null))))
        .get(0)
        .text();
  }

  private static UnobservedMessage message(String role, MessagePiece... pieces) {
    return new UnobservedMessage(0, "m", role, List.of(pieces), TIME, 1);
  }
}
