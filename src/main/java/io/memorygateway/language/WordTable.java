package io.memorygateway.language;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Reader of the jar's tables of words and characters. */
public final class WordTable {
  private WordTable() {}

  /** Returns the text of a table, without blanks at its ends. */
  public static String read(String path) {
    try (InputStream file = Objects.requireNonNull(WordTable.class.getResourceAsStream(path))) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
