package io.memorygateway.secret;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;
import java.util.List;

/**
 * Tells which of the texts of a stream an event continues, whatever its format: by the numbers that
 * the event gives (of the choice, the call, the item) and by the names of its texts.
 */
final class TextPlace {
  /** Members that hold the text of a delta in any of the formats. */
  private static final List<byte[]> TEXTS =
      List.of(
          ascii("content"),
          ascii("text"),
          ascii("delta"),
          ascii("arguments"),
          ascii("partial_json"),
          ascii("thinking"),
          ascii("reasoning"),
          ascii("reasoning_content"),
          ascii("refusal"),
          ascii("summary"),
          ascii("transcript"));

  /** What the names of the numbers end with. */
  private static final byte[] INDEX = ascii("index");

  private final byte[] bytes;
  private final int end;
  private int id;
  private boolean text;

  /** The text whose value would be the next string; -1 if that is no text. */
  private int named = -1;

  private TextPlace(byte[] bytes, int end) {
    this.bytes = bytes;
    this.end = end;
  }

  /** The place of an event that was received whole. */
  static TextPlace of(byte[] bytes, int start, int end) {
    TextPlace place = new TextPlace(bytes, end);
    for (int at = start; at < end; at++) {
      if (bytes[at] == '"') {
        int opening = at++;
        while (at < end && bytes[at] != '"') {
          at += bytes[at] == '\\' ? 2 : 1;
        }
        place.string(opening, at);
      }
    }
    return place;
  }

  /** Whether the string that ends with this quotation mark is the name of a member. */
  static boolean isName(byte[] bytes, int closing, int end) {
    int at = afterBlanks(bytes, closing + 1, end);
    return at < end && bytes[at] == ':';
  }

  /** Takes the next string, given its quotation marks; {@code closing} may be missing. */
  private void string(int opening, int closing) {
    int start = opening + 1;
    int colon = afterBlanks(bytes, closing + 1, end);
    if (colon >= end || bytes[colon] != ':') {
      if (named >= 0 && closing > start) {
        id = 31 * id + named;
        text = true;
      }
      named = -1;
      return;
    }
    named = textNamed(start, closing);
    if (closing - start >= INDEX.length
        && Arrays.equals(bytes, closing - INDEX.length, closing, INDEX, 0, INDEX.length)) {
      id = 31 * id + TEXTS.size() + number(afterBlanks(bytes, colon + 1, end));
    }
  }

  /** The same for all events of one text, and most likely another one for those of others. */
  int id() {
    return id;
  }

  /** Whether the event holds text, be it one character. */
  boolean isText() {
    return text;
  }

  private int textNamed(int start, int stop) {
    for (int i = 0; i < TEXTS.size(); i++) {
      byte[] name = TEXTS.get(i);
      if (stop - start == name.length && Arrays.equals(bytes, start, stop, name, 0, name.length)) {
        return i;
      }
    }
    return -1;
  }

  private static int afterBlanks(byte[] bytes, int from, int end) {
    int at = from;
    while (at < end && (bytes[at] == ' ' || bytes[at] == '\t')) {
      at++;
    }
    return at;
  }

  private int number(int from) {
    int value = 0;
    for (int at = from; at < end && bytes[at] >= '0' && bytes[at] <= '9'; at++) {
      value = 10 * value + bytes[at] - '0';
    }
    return value;
  }

  private static byte[] ascii(String name) {
    return name.getBytes(US_ASCII);
  }
}
