package io.memorygateway.dialect;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.memorygateway.json.Edit;
import io.memorygateway.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Takes secrets out of JSON, however the strings that hold them are escaped. */
final class SecretMask {
  /** Servers without keys are given words such as "EMPTY" for one: those are no secrets. */
  private static final int SHORTEST_SECRET = 8;

  private SecretMask() {}

  /** The JSON with {@code ***} for each secret; the array itself if it holds none. */
  static byte[] apply(byte[] json, Collection<String> secrets) throws IOException {
    // The longest first: one secret may contain another.
    List<String> inOrder =
        secrets.stream()
            .filter(secret -> secret.length() >= SHORTEST_SECRET)
            .sorted(Comparator.comparingInt(String::length).reversed())
            .toList();
    if (inOrder.isEmpty()) {
      return json;
    }
    List<Edit> edits = new ArrayList<>();
    try (JsonParser parser = Json.open(json, 0, json.length)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token.isScalarValue() || token == JsonToken.FIELD_NAME) {
          String text = parser.getText();
          String masked = text;
          for (String secret : inOrder) {
            masked = masked.replace(secret, "***");
          }
          if (!masked.equals(text)) {
            edits.add(new Edit(Json.start(parser), Json.end(parser, json), Json.quote(masked)));
          }
        }
      }
    }
    return Edit.apply(json, edits);
  }
}
