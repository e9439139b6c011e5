package io.memorygateway.turn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.observation.ContextConfig;
import io.memorygateway.observation.ContextNotes;
import io.memorygateway.observation.RecallScope;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Contract §11: time is told, and told the same in every call. */
class TimeMarksTest {
  private static final ContextConfig UTC = config(true, ZoneOffset.UTC);

  @Test
  void theFirstUserMessageBehindANightOrSixHoursHasItsDate() {
    TimeMarks marks = new TimeMarks(UTC);
    assertThat(marks.next(at("2026-11-20T09:00:00Z"), true)).as("nothing is before it").isNull();
    assertThat(marks.next(at("2026-11-20T09:00:05Z"), false)).isNull();
    assertThat(marks.next(at("2026-11-20T15:00:04Z"), true)).as("a second too early").isNull();
    assertThat(marks.next(at("2026-11-20T21:00:04Z"), true))
        .isEqualTo("[Friday, 20 November 2026, 21:00 UTC]");
    assertThat(marks.next(at("2026-11-20T23:59:59Z"), true)).isNull();
    assertThat(marks.next(at("2026-11-21T00:00:00Z"), false)).as("an answer").isNull();
    assertThat(marks.next(at("2026-11-21T00:00:01Z"), true))
        .isEqualTo("[Saturday, 21 November 2026, 00:00 UTC]");
    assertThat(marks.next(at("2026-11-21T00:00:02Z"), true)).isNull();
  }

  @Test
  void aNewDayIsThatOfTheZone() {
    TimeMarks marks = new TimeMarks(config(true, ZoneId.of("Asia/Tokyo")));
    marks.next(at("2026-11-20T14:59:00Z"), true);
    assertThat(marks.next(at("2026-11-20T15:00:00Z"), true))
        .isEqualTo("[Saturday, 21 November 2026, 00:00 GMT+9]");
    assertThat(marks.next(at("2026-11-21T00:00:00Z"), false)).as("nine hours").isNull();
    assertThat(marks.next(at("2026-11-21T00:00:00Z"), true)).startsWith("[Saturday, 21 November");
  }

  @Test
  void withoutMarksNothingIsMarked() {
    TimeMarks marks = new TimeMarks(config(false, ZoneOffset.UTC));
    marks.next(at("2026-11-20T09:00:00Z"), true);
    assertThat(marks.next(at("2026-11-25T09:00:00Z"), true)).isNull();
  }

  @Test
  void aMessageIsSentTheSameHoweverItsThreadWasRead() {
    Random random = new Random(5);
    List<MessageRow> rows = new ArrayList<>();
    ThreadTail grown = ThreadTail.empty(UTC);
    Instant time = at("2026-11-20T09:00:00Z");
    for (int seq = 0; seq < 300; seq++) {
      time = time.plus(Duration.ofMinutes(random.nextInt(300)));
      rows.add(row(seq, random.nextInt(3) == 0 ? "user" : "assistant", time));
      grown = grown.with(rows.subList(seq, seq + 1));
    }
    List<StoredMessage> sent = sent(grown);
    assertThat(sent.stream().filter(message -> message.content().startsWith("\"["))).isNotEmpty();
    for (int observed = 0; observed < 250; observed += 7) {
      int from = observed;
      List<TailEntry.Text> texts =
          rows.subList(Math.max(0, from - 60), rows.size()).stream()
              .map(row -> text(row, row.seq() >= from))
              .toList();
      ThreadTail read = ThreadTail.read(UTC, ContextNotes.NONE, 0, texts);
      assertThat(sent(read)).isEqualTo(sent.subList(from, 300));
    }
  }

  @Test
  void theLineStandsBeforeTheTextWhateverItsShape() {
    assertThat(marked("\"hello\"")).isEqualTo("\"[d]\\nhello\"");
    assertThat(marked("[{\"type\":\"text\",\"text\":\"hi\",\"cache_control\":{\"type\":\"x\"}}]"))
        .isEqualTo(
            "[{\"type\":\"text\",\"text\":\"[d]\"},"
                + "{\"type\":\"text\",\"text\":\"hi\",\"cache_control\":{\"type\":\"x\"}}]");
    assertThat(marked("[{\"type\":\"input_image\",\"image_url\":\"u\"}]"))
        .startsWith("[{\"type\":\"input_text\",\"text\":\"[d]\"},{\"type\":\"input_image\"");
    assertThat(marked("{\"content\":\"hi\",\"name\":\"bob\"}"))
        .isEqualTo("{\"content\":\"[d]\\nhi\",\"name\":\"bob\"}");
    assertThat(
            marked(
                "{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"hi\"}]}"))
        .contains("[{\"type\":\"input_text\",\"text\":\"[d]\"},{\"type\":\"input_text\"");
    assertThat(marked("{\"format\":2,\"parts\":[{\"type\":\"text\",\"text\":\"hi\"}]}"))
        .isEqualTo(
            "{\"format\":2,\"parts\":[{\"type\":\"text\",\"text\":\"[d]\"},"
                + "{\"type\":\"text\",\"text\":\"hi\"}]}");
    for (String nothing :
        List.of("\" \"", "[]", "null", "{\"tool_call_id\":\"c\",\"content\":\"x\"}")) {
      assertThat(marked(nothing)).isEqualTo(nothing);
    }
  }

  private static String marked(String content) {
    return new StoredMessage("user", content, StoredMessage.typeOf(content))
        .withFirstLine("[d]")
        .content();
  }

  private static List<StoredMessage> sent(ThreadTail tail) {
    return new ContextBuilder(tail, tail.messages().size(), true, Conversation.Own.NONE, null)
        .build(List.of())
        .stored();
  }

  private static MessageRow row(long seq, String role, Instant time) {
    return new MessageRow(seq, "m", role, "text", "\"said " + seq + "\"", time, false, false);
  }

  private static TailEntry.Text text(MessageRow row, boolean sent) {
    return new TailEntry.Text(
        new TailRow(
            row.seq(),
            row.role(),
            row.type(),
            row.createdAt(),
            false,
            false,
            null,
            row.content().getBytes(UTF_8).length,
            row.content()),
        row.content(),
        sent);
  }

  private static ContextConfig config(boolean marks, ZoneId zone) {
    return new ContextConfig(30_000, 40_000, 0, RecallScope.THREAD, marks, zone);
  }

  private static Instant at(String time) {
    return Instant.parse(time);
  }
}
