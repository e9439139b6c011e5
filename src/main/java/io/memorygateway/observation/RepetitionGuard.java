package io.memorygateway.observation;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.zip.Deflater;

/**
 * Tells a model that has run into a loop from one that notes what did happen often. A loop gives
 * the same line again, its time included, or goes round within one line.
 */
final class RepetitionGuard {
  private static final int LONGEST_LINE = 10_000;
  private static final int LONG_LINE = 1_500;
  private static final int FEW_CHARACTERS = 1_000;

  /** Prose is left with a third and more of its size, tables with a tenth. */
  private static final double LEAST_RATIO = 0.08;

  private RepetitionGuard() {}

  /** Of notes on messages, in which a few lines may be the same: what happened twice. */
  static boolean isRepeating(String text) {
    return isRepeating(text, FEW_CHARACTERS);
  }

  /** Of a condensed log, in which nothing need stand twice, however short it is. */
  static boolean isRepeatingItself(String condensed) {
    return isRepeating(condensed, 0);
  }

  private static boolean isRepeating(String text, int fewCharacters) {
    Set<String> seen = new HashSet<>();
    int characters = 0;
    int again = 0;
    for (String line : text.lines().map(String::strip).toList()) {
      if (line.length() > LONGEST_LINE
          || (line.length() > LONG_LINE && compressed(line) < LEAST_RATIO)) {
        return true;
      }
      characters += line.length();
      if (!seen.add(line)) {
        again += line.length();
      }
    }
    return characters >= fewCharacters && again * 2 > characters;
  }

  /** What remains of a text when it is compressed, of 1. */
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
