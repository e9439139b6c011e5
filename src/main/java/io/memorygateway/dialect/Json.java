package io.memorygateway.dialect;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import java.io.IOException;
import java.util.Arrays;

/** How this package reads JSON: as tokens over UTF-8 bytes, with the places where they stand. */
final class Json {
  /** Deeper bodies are refused: a parser further on may recurse. */
  static final int MAX_DEPTH = 500;

  // Lengths are bounded by the size of the body; an image in base64 is one string.
  // One parse never blocks, so this pool stays as small as the number of cores, where buffers kept
  // by thread would be allocated anew for each virtual thread.
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .recyclerPool(JsonRecyclerPools.newConcurrentDequePool())
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .build())
          .build();

  private Json() {}

  /** A parser that takes the bytes for UTF-8 whatever they look like. */
  static JsonParser open(byte[] bytes, int offset, int length) throws IOException {
    // The parser would guess UTF-16 or UTF-32 from a zero among the first four bytes.
    for (int i = 0; i < Math.min(4, length); i++) {
      if (bytes[offset + i] == 0) {
        throw new JsonParseException(null, "not UTF-8");
      }
    }
    return FACTORY.createParser(bytes, offset, length);
  }

  static byte[] withoutByteOrderMark(byte[] bytes) {
    boolean marked =
        bytes.length >= 3
            && bytes[0] == (byte) 0xEF
            && bytes[1] == (byte) 0xBB
            && bytes[2] == (byte) 0xBF;
    return marked ? Arrays.copyOfRange(bytes, 3, bytes.length) : bytes;
  }

  /** Where the current token starts. */
  static int start(JsonParser parser) {
    return (int) parser.currentTokenLocation().getByteOffset();
  }

  /** Where the value ends whose first token is the current one; reads on to its last token. */
  static int end(JsonParser parser, byte[] bytes) throws IOException {
    JsonToken token = parser.currentToken();
    if (token.isStructStart()) {
      parser.skipChildren();
      return (int) parser.currentLocation().getByteOffset();
    }
    return scalarEnd(parser, bytes, start(parser));
  }

  /**
   * Where the string, number or word ends that is the current token and stands at {@code start}.
   */
  static int scalarEnd(JsonParser parser, byte[] bytes, int start) throws IOException {
    parser.finishToken();
    JsonToken token = parser.currentToken();
    return token == JsonToken.VALUE_STRING || token == JsonToken.FIELD_NAME
        ? stringEnd(bytes, start)
        : start + parser.getTextLength();
  }

  /** Where the string literal ends whose opening quote stands at {@code start}. */
  private static int stringEnd(byte[] bytes, int start) {
    int at = start + 1;
    while (bytes[at] != '"') {
      at += bytes[at] == '\\' ? 2 : 1;
    }
    return at + 1;
  }

  /** The current token as a count of tokens, or {@link Usage#UNKNOWN}. */
  static long count(JsonParser parser) throws IOException {
    JsonToken token = parser.currentToken();
    if (token == JsonToken.VALUE_NUMBER_INT && parser.getTextLength() <= 18) {
      return Math.max(parser.getLongValue(), Usage.UNKNOWN);
    }
    return Usage.UNKNOWN;
  }

  /** A string literal that holds the text; a lone surrogate, which UTF-8 cannot spell, escaped. */
  static String quote(String text) {
    StringBuilder out = new StringBuilder(text.length() + 16).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        out.append(c).append(text.charAt(++i));
      } else if (c < ' ' || Character.isSurrogate(c)) {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }
}
