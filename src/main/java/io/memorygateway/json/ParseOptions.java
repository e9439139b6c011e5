package io.memorygateway.json;

import org.jspecify.annotations.Nullable;

/**
 * Options of a parse.
 *
 * @param strict whether to refuse what another reader might interpret differently: bytes that are
 *     not UTF-8, members named twice, half a surrogate pair, the character NUL (which many stores
 *     and languages cut strings at), numbers and names that are longer than other readers accept
 * @param contents name of the members in whose values a strict parse is not, since turns bring them
 *     so; null: none
 * @param levels how many levels of arrays and objects have their children as {@link JsonValue}s;
 *     deeper values are checked, but remain slices of the text
 * @param maxValues how many {@link JsonValue}s are created at most: each takes some fifty bytes,
 *     however short its text
 * @param checkpoint run every few thousand values; an exception from it ends the parsing
 */
public record ParseOptions(
    boolean strict, @Nullable String contents, int levels, int maxValues, Runnable checkpoint) {
  /** Number of levels that bodies of the memory API have outside of contents. */
  public static final int SHALLOW = 3;

  /** All levels. */
  public static final int WHOLE = Json.MAX_DEPTH + 1;

  /** Any one JSON value, on all levels. */
  public static final ParseOptions LENIENT =
      new ParseOptions(false, null, WHOLE, Integer.MAX_VALUE, () -> {});

  /** One JSON value that all readers interpret alike, on all levels. */
  public static final ParseOptions STRICT =
      new ParseOptions(true, null, WHOLE, Integer.MAX_VALUE, () -> {});

  public ParseOptions withContents(String name) {
    return new ParseOptions(strict, name, levels, maxValues, checkpoint);
  }

  public ParseOptions withLevels(int newLevels) {
    return new ParseOptions(strict, contents, newLevels, maxValues, checkpoint);
  }

  public ParseOptions withMaxValues(int newMaxValues) {
    return new ParseOptions(strict, contents, levels, newMaxValues, checkpoint);
  }

  public ParseOptions withCheckpoint(Runnable newCheckpoint) {
    return new ParseOptions(strict, contents, levels, maxValues, newCheckpoint);
  }
}
