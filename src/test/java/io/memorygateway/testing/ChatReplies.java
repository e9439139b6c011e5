package io.memorygateway.testing;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** Chat Completions, whole or streamed; usage on the last chunk only if the request asks for it. */
record ChatReplies(JsonNode request, String text) {

  JsonNode whole() {
    return CannedReplies.json(
        """
        {"id":"chatcmpl-canned","object":"chat.completion","created":1763632800,"model":%s,
         "choices":[{"index":0,"message":{"role":"assistant","content":%s,"refusal":null,
           "annotations":[]},"logprobs":null,"finish_reason":"stop"}],
         "usage":%s,"service_tier":"default","system_fingerprint":"fp_canned"}
        """
            .formatted(model(), CannedReplies.quote(text), usage()));
  }

  List<String> events() {
    List<JsonNode> chunks = new ArrayList<>();
    chunks.add(chunk("{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null}", "null"));
    for (String token : CannedReplies.tokens(text)) {
      chunks.add(chunk("{\"content\":" + CannedReplies.quote(token) + "}", "null"));
    }
    chunks.add(chunk("{}", "\"stop\""));
    if (request.path("stream_options").path("include_usage").asBoolean()) {
      chunks.add(chunkOf("[]", usage()));
    }
    List<String> events = new ArrayList<>(CannedReplies.events(chunks, chunk -> ""));
    events.add("data: [DONE]\n\n");
    return events;
  }

  private JsonNode chunk(String delta, String finishReason) {
    return chunkOf(
        "[{\"index\":0,\"delta\":%s,\"logprobs\":null,\"finish_reason\":%s}]"
            .formatted(delta, finishReason),
        "null");
  }

  private JsonNode chunkOf(String choices, String usage) {
    return CannedReplies.json(
        """
        {"id":"chatcmpl-canned","object":"chat.completion.chunk","created":1763632800,"model":%s,
         "service_tier":"default","system_fingerprint":"fp_canned","choices":%s,"usage":%s}
        """
            .formatted(model(), choices, usage));
  }

  private String model() {
    return CannedReplies.quote(request.path("model").asText("canned"));
  }

  private String usage() {
    int prompt = CannedReplies.promptTokens(request);
    int completion = CannedReplies.tokens(text).size();
    return """
        {"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,
         "prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},
         "completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,
           "accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}
        """
        .formatted(prompt, completion, prompt + completion);
  }
}
