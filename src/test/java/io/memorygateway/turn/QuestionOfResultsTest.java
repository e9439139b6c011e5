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
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Contract §8: what the user said last goes up with results of tools that come alone. */
class QuestionOfResultsTest {
  private static final ContextConfig CONFIG =
      new ContextConfig(1_000, 1_000, 0, RecallScope.THREAD, false, ZoneOffset.UTC);

  private static final String ASKED = "\"Book the flight to Oslo.\"";

  private long seq;

  private MessageRow row(String role, String content) {
    return new MessageRow(
        seq,
        "m" + seq++,
        role,
        StoredMessage.typeOf(content),
        content,
        Instant.parse("2026-11-20T09:00:00Z"),
        false,
        false);
  }

  private MessageRow call(String id) {
    return row(
        "assistant",
        "{\"content\":null,\"tool_calls\":[{\"id\":\"%s\",\"type\":\"function\",\"function\":{\"name\":\"find\",\"arguments\":\"{}\"}}]}"
            .formatted(id));
  }

  private MessageRow result(String id) {
    return row(
        "tool",
        "{\"tool_call_id\":\"%s\",\"content\":\"%s\"}".formatted(id, "flight ".repeat(500)));
  }

  private static TailEntry.Text text(MessageRow row, boolean sent) {
    TailRow outline =
        new TailRow(
            row.seq(),
            row.role(),
            row.type(),
            row.createdAt(),
            false,
            false,
            null,
            row.content().length(),
            row.content());
    return new TailEntry.Text(outline, row.content(), sent);
  }

  private static List<StoredMessage> sent(ThreadTail tail, Conversation call) {
    return new ContextBuilder(tail, tail.messages().size(), true, Conversation.Own.NONE, null)
        .build(call.messages(), call)
        .stored();
  }

  private static void goesUpOnce(ThreadTail tail, Conversation call) {
    List<StoredMessage> sent = sent(tail, call);
    assertThat(sent.get(0).content()).isEqualTo(ASKED);
    assertThat(sent.stream().filter(StoredMessage::isOfUser)).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(ContextBoundTest.Endpoint.class)
  void thoughItIsObserved(ContextBoundTest.Endpoint endpoint) {
    MessageRow before = row("user", "\"Hello.\"");
    MessageRow asked = row("user", ASKED);
    MessageRow call = call("c1");

    ThreadTail tail =
        ThreadTail.read(
            CONFIG,
            ContextNotes.NONE,
            0,
            List.of(text(before, false), text(asked, false), text(call, true)));

    goesUpOnce(tail, endpoint.read(endpoint.result("c1")));
    tail = tail.with(List.of(result("c1"), call("c2")));
    goesUpOnce(tail, endpoint.read(endpoint.result("c2")));
    assertThat(sent(tail, endpoint.read("{\"role\":\"user\",\"content\":\"Thanks.\"}")))
        .noneMatch(StoredMessage::isOfUser);
  }

  @ParameterizedTest
  @EnumSource(ContextBoundTest.Endpoint.class)
  void thoughItIsLeftOutBehindManyResults(ContextBoundTest.Endpoint endpoint) {
    ThreadTail tail = ThreadTail.empty(CONFIG).with(List.of(row("user", ASKED)));
    for (int i = 0; i < 60; i++) {
      tail = tail.with(List.of(call("c" + i)));
      goesUpOnce(tail, endpoint.read(endpoint.result("c" + i)));
      tail = tail.with(List.of(result("c" + i)));
    }
    assertThat(tail.elided()).isPositive();
    tail = tail.with(List.of(row("user", "\"And back.\""), call("d")));
    assertThat(sent(tail, endpoint.read(endpoint.result("d"))))
        .extracting(StoredMessage::content)
        .contains("\"And back.\"")
        .doesNotContain(ASKED);
  }
}
