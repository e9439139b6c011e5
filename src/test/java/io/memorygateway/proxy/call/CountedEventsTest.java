package io.memorygateway.proxy.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.json.JsonValue;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.proxy.route.Endpoint;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What is kept of a stream whose output is counted, to end it as its format does. */
class CountedEventsTest {
  private final CountedEvents stream =
      new CountedEvents(
          Endpoint.RESPONSES.format().translator(),
          "{\"model\":\"m\",\"input\":\"hello\"}".getBytes(StandardCharsets.UTF_8),
          new TokenCounter());

  private int sequence;

  private long read(String type, String members, boolean keeps) {
    String event =
        "{\"type\":\"%s\",\"sequence_number\":%d,%s}".formatted(type, sequence++, members);
    return stream.read(type, JsonValue.of(event), keeps);
  }

  private long say(String text, boolean keeps) {
    return read(
        "response.output_text.delta",
        "\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\"" + text + "\"",
        keeps);
  }

  @Test
  void whatThereIsNoRoomForIsCountedAndNotKept() {
    read("response.created", "\"response\":{\"id\":\"resp_1\",\"output\":[]}", true);
    read(
        "response.output_item.added",
        "\"output_index\":0,\"item\":{\"id\":\"msg_1\",\"type\":\"message\",\"content\":[]}",
        true);
    say("what is kept", true);
    long tokens = 0;
    for (int i = 0; i < 10_000; i++) {
      tokens += say(" this is not", false);
    }
    assertThat(tokens).isGreaterThanOrEqualTo(30_000);

    String end = new String(stream.end(10, tokens), StandardCharsets.UTF_8);

    assertThat(end)
        .contains("event: response.output_text.done\n")
        .contains("event: response.incomplete\n")
        .contains("\"text\":\"what is kept\"")
        .contains("\"output_tokens\":" + tokens)
        .contains("\"sequence_number\":" + sequence)
        .contains("msg_1")
        .doesNotContain("this is not");
  }
}
