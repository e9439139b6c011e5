package io.memorygateway.embedding;

import io.memorygateway.json.Sha256;
import org.jspecify.annotations.Nullable;

/**
 * How a model is told what a text is, a query or a passage; many find more with that.
 *
 * @param prefix before each text; empty for none
 * @param inputType the member {@code input_type} of a call; null for none
 */
public record EmbeddedInput(String prefix, @Nullable String inputType) {
  public static final EmbeddedInput PLAIN = new EmbeddedInput("", null);

  private static final int MAX_NAME_CHARACTERS = 255;
  private static final int HASH_CHARACTERS = 16;

  /** The name under which vectors of passages are stored: with another input they are others. */
  String nameOf(String model) {
    if (equals(PLAIN)) {
      return model;
    }
    String hash = Sha256.hex(inputType + "\n" + prefix).substring(0, HASH_CHARACTERS);
    int rest = Math.min(model.length(), MAX_NAME_CHARACTERS - HASH_CHARACTERS - 1);
    return model.substring(0, rest) + '#' + hash;
  }
}
