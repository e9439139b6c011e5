package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Counts the values of a JSON text without parsing it: {@code [0,0,0]} takes many times its length
 * once each value is an object. For a text that is not JSON, the number is meaningless.
 */
public final class ValueCount {
  /**
   * Heap bytes of a value, its place in a list and what is derived from it, and of the parser
   * itself.
   */
  private static final long HEAP_PER_VALUE = 100;

  private ValueCount() {}

  /** The number of values; names of members are not counted. */
  public static long of(byte[] json) {
    long values = 1;
    for (int at = 0; at < json.length; at++) {
      switch (json[at]) {
        case '"' -> at = stringEnd(json, at);
        case ',', '[', '{' -> values++;
        default -> {}
      }
    }
    return values;
  }

  /** Index of the quote that ends a string; beyond the text if none does. */
  static int stringEnd(byte[] json, int start) {
    int at = start + 1;
    while (at < json.length && json[at] != '"') {
      at += json[at] == '\\' ? 2 : 1;
    }
    return at;
  }

  /** Approximate heap bytes that the values take when the text is parsed. */
  public static long heapOf(byte[] json) {
    return HEAP_PER_VALUE * of(json);
  }

  /** Approximate heap bytes that the values take when the text is parsed. */
  public static long heapOf(String json) {
    // A text of one string, which most contents are, has one value.
    return json.startsWith("\"") ? HEAP_PER_VALUE : heapOf(json.getBytes(UTF_8));
  }
}
