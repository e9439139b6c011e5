package io.memorygateway.observation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A prompt of ours, out of {@code src/main/resources/observation}. A version that was released is
 * never edited: records name the one they were made with.
 *
 * @param version the file's name, such as {@code observer-v3}
 */
record PromptTemplate(String version, String text) {

  static PromptTemplate load(String version) {
    try (InputStream in =
        PromptTemplate.class.getResourceAsStream("/observation/" + version + ".txt")) {
      if (in == null) {
        throw new IllegalArgumentException("no prompt " + version);
      }
      return new PromptTemplate(version, new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The prompt with values in the places of {@code {{name}}}. */
  String with(Map<String, String> values) {
    String filled = text;
    for (Map.Entry<String, String> value : values.entrySet()) {
      filled = filled.replace("{{" + value.getKey() + "}}", value.getValue());
    }
    return filled;
  }
}
