package io.memorygateway.testing;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** Anthropic's Messages, whole or streamed. */
record MessagesReplies(JsonNode request, String text) {

  JsonNode whole() {
    return message(
        "[{\"type\":\"text\",\"text\":" + CannedReplies.quote(text) + "}]",
        "\"end_turn\"",
        tokens());
  }

  List<String> events() {
    List<JsonNode> events = new ArrayList<>();
    events.add(
        CannedReplies.json(
            "{\"type\":\"message_start\",\"message\":%s}".formatted(message("[]", "null", 1))));
    events.add(
        CannedReplies.json(
            "{\"type\":\"content_block_start\",\"index\":0,"
                + "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}"));
    events.add(CannedReplies.json("{\"type\":\"ping\"}"));
    for (String token : CannedReplies.tokens(text)) {
      events.add(
          CannedReplies.json(
              "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":%s}}"
                  .formatted(CannedReplies.quote(token))));
    }
    events.add(CannedReplies.json("{\"type\":\"content_block_stop\",\"index\":0}"));
    events.add(
        CannedReplies.json(
            """
            {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},
             "usage":{"output_tokens":%d}}
            """
                .formatted(tokens())));
    events.add(CannedReplies.json("{\"type\":\"message_stop\"}"));
    return CannedReplies.events(events, json -> "event: " + json.path("type").asText() + "\n");
  }

  private JsonNode message(String content, String stopReason, int outputTokens) {
    return CannedReplies.json(
        """
        {"id":"msg_canned","type":"message","role":"assistant","model":%s,"content":%s,
         "stop_reason":%s,"stop_sequence":null,
         "usage":{"input_tokens":%d,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,
           "output_tokens":%d,"service_tier":"standard"}}
        """
            .formatted(
                CannedReplies.quote(request.path("model").asText("canned")),
                content,
                stopReason,
                CannedReplies.promptTokens(request),
                outputTokens));
  }

  private int tokens() {
    return CannedReplies.tokens(text).size();
  }
}
