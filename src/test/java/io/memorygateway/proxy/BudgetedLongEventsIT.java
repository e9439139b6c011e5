package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §15: events that are too long to be held back are counted, and ended, in pieces. */
@Tag("heavy")
class BudgetedLongEventsIT extends BudgetedStreams {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM).configured(config -> configure(config, UPSTREAM));

  BudgetedLongEventsIT() {
    super(GATEWAY);
  }

  @Test
  void anEventThatIsPassedOnInPiecesIsCountedAndEnded() throws Exception {
    BudgetedKey key = key(400_000);
    String text = LONG.repeat((3 << 20) / LONG.length());
    String choice = "{\"index\":0,\"delta\":{\"%s\":\"%s\"}}";
    List<String> events =
        List.of(
            chunk(choice.formatted("role", "assistant")), chunk(choice.formatted("content", text)));
    UPSTREAM.answer(request -> Answer.sse(events));

    HttpResponse<String> answer = stream("chat", "chat", key, true);

    String told = checked("chat", answer.body());
    assertThat(text.startsWith(told)).isTrue();
    assertThat(told.length()).isGreaterThan(1 << 20);
    assertStored(key, answer, told);
    assertThat(answer.body()).contains("\"finish_reason\":\"length\"", "[DONE]");
    assertThat(key.settled()).isBetween(300_000L, 400_000L);
  }

  /** Its end tells less than the caller got, so it says nothing of the item. */
  @Test
  void soItIsStoredOfResponses() throws Exception {
    BudgetedKey key = key(400_000);
    String at = "\"item_id\":\"m\",\"output_index\":0,\"content_index\":0,";
    List<String> data =
        List.of(
            "response.created\",\"response\":{\"id\":\"r\",\"status\":\"in_progress\",\"output\":[]}}",
            "response.output_item.added\",\"output_index\":0,\"item\":{\"id\":\"m\",\"type\":\"message\","
                + "\"role\":\"assistant\",\"status\":\"in_progress\",\"content\":[]}}",
            "response.content_part.added\","
                + at
                + "\"part\":{\"type\":\"output_text\",\"text\":\"\",\"annotations\":[]}}",
            "response.output_text.delta\","
                + at
                + "\"delta\":\""
                + LONG.repeat((3 << 20) / LONG.length())
                + "\"}");
    List<String> events = data.stream().map(each -> "data: {\"type\":\"" + each + "\n\n").toList();
    UPSTREAM.answer(request -> Answer.sse(events));

    HttpResponse<String> answer = stream("responses", "responses", key, true);

    String told = answer.body().replaceFirst("(?s).*\"delta\":\"", "").replaceFirst("(?s)\".*", "");
    assertThat(told.length()).isGreaterThan(1 << 20);
    assertThat(answer.body()).contains("response.incomplete");
    assertStored(key, answer, told);
  }

  @Test
  void aPictureIsNoText() throws Exception {
    String picture = "iVBORw0KGgo".repeat(200_000);
    BudgetedKey key = key(1000);
    UPSTREAM.answer(
        request -> {
          List<String> events =
              new ArrayList<>(
                  CannedReplies.reply(request.path(), request.json(), "Done.").events());
          events.add(
              1,
              request.path().endsWith("responses")
                  ? "event: response.image_generation_call.partial_image\ndata: {\"type\":"
                      + "\"response.image_generation_call.partial_image\",\"partial_image_b64\":\""
                      + picture
                      + "\"}\n\n"
                  : chunk(
                      "{\"index\":0,\"delta\":{\"images\":[{\"image_url\":{\"url\":\"data:"
                          + picture
                          + "\"}}]}}"));
          return Answer.sse(events);
        });

    for (String format : List.of("responses", "chat")) {
      String told = stream(format, format, key, false).body();
      assertThat(told.contains(picture)).as(format).isTrue();
      assertThat(told.contains("response.incomplete") || told.contains("\"length\"")).isFalse();
    }
    assertThat(key.settled()).isLessThan(200);
  }

  /** Nothing of it was taken, and what was passed on before it stays. */
  @ParameterizedTest
  @CsvSource({"messages, false", "messages, true", "chat, false"})
  void aLongEventThatIsRefusedTakesNothingBack(String format, boolean isUnreadable)
      throws Exception {
    BudgetedKey key = key(400);
    String text = LONG.repeat((3 << 20) / LONG.length());
    String start =
        "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n";
    String delta =
        "data: {\"delta\":{\"type\":\"text_delta\",\"text\":\"%s\"},\"type\":\"content_block_delta\",\"index\":0}\n\n";
    String unreadable = "data: {\"delta\":{\"text\":\"" + LONG.repeat(4) + "\"\n\n";
    String choice = "{\"index\":%d,\"delta\":{\"content\":\"%s\"},\"finish_reason\":%s}";
    List<String> events =
        format.equals("messages")
            ? List.of(start, isUnreadable ? unreadable : delta.formatted(text))
            : List.of(
                chunk(choice.formatted(0, "one", null)),
                chunk(choice.formatted(1, "one", null)),
                chunk(choice.formatted(0, "", "\"stop\"")),
                chunk(choice.formatted(1, text, null)));
    UPSTREAM.answer(request -> Answer.sse(events));

    String told = stream(format, format, key, false).body();

    if (format.equals("messages")) {
      assertThat(told).contains("event: content_block_stop\ndata: {\"index\":0,", "message_stop");
    } else {
      assertThat(told)
          .contains("{\"index\":1,\"delta\":{},\"logprobs\":null,\"finish_reason\":\"length\"}")
          .doesNotContain("{\"index\":0,\"delta\":{},\"logprobs\"");
    }
  }

  @Test
  void aLongEventEndsAsJsonWhereverItIsCut() throws Exception {
    BudgetedKey key = key(100_000);
    String choice = "{\"index\":0,\"delta\":{\"content\":\"one two \"}}";
    UPSTREAM.answer(request -> Answer.sse(List.of(chunk(choice + ("," + choice).repeat(60_000)))));

    HttpResponse<String> answer = stream("chat", "chat", key, false);

    JsonNode cut = JSON.readTree(answer.body().lines().findFirst().orElseThrow().substring(6));
    assertThat(cut.path("choices").size()).isBetween(20_000, 40_000);
    assertThat(
            answer
                .body()
                .split(
                    "\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\""))
        .as("this event and those that end the stream")
        .hasSize(1 + 3);
    assertThat(answer.body()).contains("\"finish_reason\":\"length\"").endsWith("[DONE]\n\n");
    assertThat(key.settled()).isBetween(50_000L, 100_000L);
  }

  /** Whose type is not known before its text, or which tells what no event before it has told. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "responses|data: {\"content_index\":0,\"delta\":\"%s\",\"type\":\"response.output_text.delta\"}",
        "responses|data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"%s\"}]}}",
        "messages|data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"%s\"}}"
      })
  void aLongEventOfAnyTypeIsCounted(String format, String event) throws Exception {
    BudgetedKey key = key(400_000);
    String text = LONG.repeat((3 << 20) / LONG.length());
    UPSTREAM.answer(request -> Answer.sse(List.of(event.formatted(text) + "\n\n")));

    HttpResponse<String> answer = stream(format, format, key, false);

    assertThat(answer.body().contains("max_output_tokens") || answer.body().contains("max_tokens"))
        .isTrue();
    if (format.equals("messages")) {
      assertThat(answer.body()).contains("event: content_block_stop\ndata: {\"index\":0,");
    }
    assertThat(key.settled()).isBetween(250_000L, 400_000L);
  }
}
