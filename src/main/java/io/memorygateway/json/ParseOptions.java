package io.memorygateway.json;

/**
 * Options of a parse.
 *
 * @param strict whether to refuse what another reader might take otherwise: bytes that are not
 *     UTF-8, members named twice, half a surrogate pair, the character NUL (which many stores and
 *     languages cut strings at), numbers and names that are longer than other readers take
 * @param levels how many levels of arrays and objects have their children as {@link JsonValue}s;
 *     what is deeper is checked, but stays a slice of the text
 * @param maxValues how many {@link JsonValue}s are made at most: each takes some fifty bytes,
 *     however short its text
 * @param checkpoint run every few thousand values; what it throws ends the parsing
 */
public record ParseOptions(boolean strict, int levels, int maxValues, Runnable checkpoint) {
  /** As many levels of children as the bodies of the memory API have outside of contents. */
  public static final int SHALLOW = 3;

  /** All levels. */
  public static final int WHOLE = Json.MAX_DEPTH + 1;

  /** Any one JSON value, whole. */
  public static final ParseOptions LENIENT =
      new ParseOptions(false, WHOLE, Integer.MAX_VALUE, () -> {});

  /** One JSON value that all readers take alike, whole. */
  public static final ParseOptions STRICT =
      new ParseOptions(true, WHOLE, Integer.MAX_VALUE, () -> {});

  public ParseOptions withLevels(int newLevels) {
    return new ParseOptions(strict, newLevels, maxValues, checkpoint);
  }

  public ParseOptions withMaxValues(int newMaxValues) {
    return new ParseOptions(strict, levels, newMaxValues, checkpoint);
  }

  public ParseOptions withCheckpoint(Runnable newCheckpoint) {
    return new ParseOptions(strict, levels, maxValues, newCheckpoint);
  }
}
