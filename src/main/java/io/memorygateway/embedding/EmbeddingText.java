package io.memorygateway.embedding;

import io.memorygateway.format.content.MessageText;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Prepares texts to be embedded. */
final class EmbeddingText {
  /**
   * Characters; longer texts are cut: a vector says little of them, and models take few thousand
   * tokens.
   */
  static final int MAX_CHARACTERS = 8_000;

  private EmbeddingText() {}

  /**
   * The text of a message to be embedded.
   *
   * @param content as it is stored, or the beginning of it
   * @param complete whether it is all of the content
   * @return null if there is nothing to embed
   */
  static @Nullable String of(String content, boolean complete) {
    String text = cut(complete ? MessageText.of(content) : content);
    return text.isBlank() ? null : text;
  }

  /** The beginning of a text, not cut within a surrogate pair. */
  static String cut(String text) {
    return cut(text, MAX_CHARACTERS);
  }

  static String cut(String text, int characters) {
    String cut = text.substring(0, Math.min(text.length(), characters));
    return new String(cut.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).strip();
  }
}
