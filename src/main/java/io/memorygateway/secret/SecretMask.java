package io.memorygateway.secret;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.memorygateway.json.Edit;
import io.memorygateway.json.Json;
import io.memorygateway.json.JsonWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Masks secrets in JSON, however the strings that contain them are escaped. */
public final class SecretMask {
  private SecretMask() {}

  /** The JSON with {@code ***} for each secret; the array itself if it contains none. */
  public static byte[] apply(byte[] json, Collection<String> secrets) throws IOException {
    // The longest first: one secret may contain another.
    List<String> inOrder =
        secrets.stream()
            .filter(secret -> secret.length() >= SecretBytes.MIN_SECRET_LENGTH)
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
            edits.add(
                new Edit(Json.start(parser), Json.end(parser, json), JsonWriter.quote(masked)));
          }
        }
      }
    }
    return Edit.apply(json, edits);
  }
}
