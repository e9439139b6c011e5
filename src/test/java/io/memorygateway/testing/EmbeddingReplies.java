package io.memorygateway.testing;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Embeddings of four numbers, as floats or, when the request says so, as base64. */
final class EmbeddingReplies {
  private EmbeddingReplies() {}

  static JsonNode whole(JsonNode request) {
    JsonNode input = request.path("input");
    boolean base64 = "base64".equals(request.path("encoding_format").asText());
    List<String> data = new ArrayList<>();
    for (int i = 0; i < (input.isArray() ? input.size() : 1); i++) {
      String text = input.isArray() ? input.get(i).toString() : input.asText();
      float[] vector = {text.length() / 100f, text.hashCode() / 4e9f, 0.25f, -0.5f};
      data.add(
          "{\"object\":\"embedding\",\"index\":%d,\"embedding\":%s}"
              .formatted(i, base64 ? encoded(vector) : java.util.Arrays.toString(vector)));
    }
    return CannedReplies.json(
        """
        {"object":"list","data":[%s],"model":%s,"usage":{"prompt_tokens":%d,"total_tokens":%d}}
        """
            .formatted(
                String.join(",", data),
                CannedReplies.quote(request.path("model").asText("canned")),
                data.size(),
                data.size()));
  }

  private static String encoded(float[] vector) {
    ByteBuffer bytes = ByteBuffer.allocate(4 * vector.length).order(ByteOrder.LITTLE_ENDIAN);
    for (float number : vector) {
      bytes.putFloat(number);
    }
    return "\"" + Base64.getEncoder().encodeToString(bytes.array()) + "\"";
  }
}
