package io.memorygateway.observation.text;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.zip.Deflater;

/**
 * Recognises the output of a model in a loop, as opposed to notes on what did happen often. A loop
 * repeats the same line, its time included, or repeats itself within one line.
 */
public final class RepetitionGuard {
  private static final int MAX_LINE_CHARACTERS = 10_000;
  private static final int LONG_LINE = 1_500;
  private static final int MIN_CHECKED_CHARACTERS = 1_000;

  /** Least ratio of compressed to original size: prose has a third and more, tables a tenth. */
  private static final double MIN_COMPRESSION_RATIO = 0.08;

  private RepetitionGuard() {}

  /**
   * Whether notes on messages repeat themselves; a few lines may be the same, if it happened twice.
   */
  public static boolean isRepeating(String text) {
    return isRepeating(text, MIN_CHECKED_CHARACTERS);
  }

  /**
   * Whether a condensed log repeats itself: in it nothing need occur twice, however short it is.
   */
  static boolean isRepeatingItself(String condensed) {
    return isRepeating(condensed, 0);
  }

  private static boolean isRepeating(String text, int minCharacters) {
    Set<String> seen = new HashSet<>();
    int characters = 0;
    int again = 0;
    for (String line : text.lines().map(String::strip).toList()) {
      if (line.length() > MAX_LINE_CHARACTERS
          || (line.length() > LONG_LINE && compressed(line) < MIN_COMPRESSION_RATIO)) {
        return true;
      }
      characters += line.length();
      if (!seen.add(line)) {
        again += line.length();
      }
    }
    return characters >= minCharacters && again * 2 > characters;
  }

  /** The ratio of a text's compressed size to its size. */
  private static double compressed(String line) {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    Deflater deflater = new Deflater();
    try {
      deflater.setInput(bytes);
      deflater.finish();
      byte[] out = new byte[bytes.length + 64];
      return (double) deflater.deflate(out) / bytes.length;
    } finally {
      deflater.end();
    }
  }
}
