package io.memorygateway.observation.text;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A prompt of the gateway, from {@code src/main/resources/observation}. A version that was released
 * is never edited: records name the one they were made with.
 */
record PromptTemplate(String text) {

  /**
   * Reads a prompt.
   *
   * @param version the file's name, such as {@code observer-v3}
   */
  static PromptTemplate load(String version) {
    try (InputStream in =
        PromptTemplate.class.getResourceAsStream("/observation/" + version + ".txt")) {
      if (in == null) {
        throw new IllegalArgumentException("no prompt " + version);
      }
      return new PromptTemplate(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The prompt with its placeholders {@code {{name}}} replaced by values. */
  String with(Map<String, String> values) {
    String filled = text;
    for (Map.Entry<String, String> value : values.entrySet()) {
      filled = filled.replace("{{" + value.getKey() + "}}", value.getValue());
    }
    return filled;
  }
}
