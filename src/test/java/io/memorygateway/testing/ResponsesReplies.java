package io.memorygateway.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** OpenAI's Responses, whole or streamed. */
record ResponsesReplies(JsonNode request, String text) {
  private static final String AT =
      "\"item_id\":\"msg_canned\",\"output_index\":0,\"content_index\":0";

  JsonNode whole() {
    return response("completed", "[" + item("completed", "[" + part(text) + "]") + "]", usage());
  }

  List<String> events() {
    List<String> events = new ArrayList<>();
    events.add("\"response.created\",\"response\":" + response("in_progress", "[]", "null"));
    events.add("\"response.in_progress\",\"response\":" + response("in_progress", "[]", "null"));
    events.add(
        "\"response.output_item.added\",\"output_index\":0,\"item\":" + item("in_progress", "[]"));
    events.add("\"response.content_part.added\"," + AT + ",\"part\":" + part(""));
    for (String token : CannedReplies.tokens(text)) {
      events.add(
          "\"response.output_text.delta\",%s,\"logprobs\":[],\"delta\":%s"
              .formatted(AT, CannedReplies.quote(token)));
    }
    events.add(
        "\"response.output_text.done\",%s,\"logprobs\":[],\"text\":%s"
            .formatted(AT, CannedReplies.quote(text)));
    events.add("\"response.content_part.done\"," + AT + ",\"part\":" + part(text));
    events.add(
        "\"response.output_item.done\",\"output_index\":0,\"item\":"
            + item("completed", "[" + part(text) + "]"));
    events.add("\"response.completed\",\"response\":" + whole());
    List<JsonNode> payloads = new ArrayList<>();
    for (String event : events) {
      ObjectNode payload = (ObjectNode) CannedReplies.json("{\"type\":" + event + "}");
      payloads.add(payload.put("sequence_number", payloads.size()));
    }
    return CannedReplies.events(payloads, json -> "event: " + json.path("type").asText() + "\n");
  }

  private JsonNode response(String status, String output, String usage) {
    return CannedReplies.json(
        """
        {"id":"resp_canned","object":"response","created_at":1763632800,"status":"%s","error":null,
         "incomplete_details":null,"instructions":null,"max_output_tokens":null,"metadata":{},
         "model":%s,"output":%s,"parallel_tool_calls":true,"previous_response_id":null,
         "reasoning":{"effort":null,"summary":null},"store":false,"temperature":1.0,
         "text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],"top_p":1.0,
         "truncation":"disabled","usage":%s,"user":null}
        """
            .formatted(
                status,
                CannedReplies.quote(request.path("model").asText("canned")),
                output,
                usage));
  }

  private static String item(String status, String content) {
    return "{\"id\":\"msg_canned\",\"type\":\"message\",\"role\":\"assistant\",\"status\":\"%s\",\"content\":%s}"
        .formatted(status, content);
  }

  private static String part(String text) {
    return "{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],\"text\":%s}"
        .formatted(CannedReplies.quote(text));
  }

  private String usage() {
    int input = CannedReplies.promptTokens(request);
    int output = CannedReplies.tokens(text).size();
    return """
        {"input_tokens":%d,"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},"output_tokens":%d,
         "output_tokens_details":{"reasoning_tokens":0},"total_tokens":%d}
        """
        .formatted(input, output, input + output);
  }
}
