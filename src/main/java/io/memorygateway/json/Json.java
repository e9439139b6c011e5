package io.memorygateway.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.core.util.BufferRecycler;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.core.util.RecyclerPool;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/** Reads JSON tokens of UTF-8 bytes, with their offsets. */
public final class Json {
  /** Levels of arrays and objects; deeper texts are refused, as a parser further on may recurse. */
  public static final int MAX_DEPTH = 500;

  // One parse never blocks, so this pool stays as small as the number of cores, where buffers kept
  // by thread would be allocated anew for each virtual thread.
  private static final RecyclerPool<BufferRecycler> BUFFERS =
      JsonRecyclerPools.newConcurrentDequePool();

  /** Bytes that are read by one factory: it remembers thousands of names, whatever their length. */
  private static final long MAX_BYTES_OF_FACTORY = 8 << 20;

  private static final AtomicLong READ = new AtomicLong();
  private static volatile JsonFactory factory = newFactory();

  private static final JsonParser.Feature NON_FINITE =
      JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS.mappedFeature();

  /** Reads the value at a parser's current token, to its end. */
  @FunctionalInterface
  public interface ValueReader {
    void read(JsonParser parser) throws IOException;
  }

  /** Reads a member, whose value is at the current token, as far as it is of use. */
  @FunctionalInterface
  public interface MemberReader {
    void read(String name) throws IOException;
  }

  private Json() {}

  // Lengths are bounded by the size of the body; an image in base64 is one string.
  private static JsonFactory newFactory() {
    return JsonFactory.builder()
        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
        .recyclerPool(BUFFERS)
        .streamReadConstraints(
            StreamReadConstraints.builder()
                .maxNestingDepth(MAX_DEPTH)
                .maxNumberLength(Integer.MAX_VALUE)
                .maxStringLength(Integer.MAX_VALUE)
                .maxNameLength(Integer.MAX_VALUE)
                .build())
        .build();
  }

  /** Opens a parser that takes the bytes for UTF-8, whatever they look like. */
  public static JsonParser open(byte[] bytes, int offset, int length) throws IOException {
    // The parser would guess UTF-16 or UTF-32 from a zero among the first four bytes.
    for (int i = 0; i < Math.min(4, length); i++) {
      if (bytes[offset + i] == 0) {
        throw new JsonParseException(null, "not UTF-8");
      }
    }
    if (READ.addAndGet(length) > MAX_BYTES_OF_FACTORY) {
      READ.set(length);
      factory = newFactory();
    }
    return factory.createParser(bytes, offset, length);
  }

  /**
   * Reads the object that bytes hold: invalid UTF-8 is replaced, and NaN and Infinity are numbers.
   * Of bytes that are no JSON all the same, or only the beginning of an object, what is found in
   * them counts.
   *
   * @return whether all of an object was read
   */
  public static boolean readObject(byte[] bytes, int offset, int length, ValueReader reader) {
    if (!Utf8.isValid(bytes, offset, offset + length)) {
      byte[] replaced = Utf8.replaced(Arrays.copyOfRange(bytes, offset, offset + length));
      return readObject(replaced, 0, replaced.length, reader);
    }
    try (JsonParser parser = open(bytes, offset, length)) {
      parser.enable(NON_FINITE);
      if (parser.nextToken() == JsonToken.START_OBJECT) {
        reader.read(parser);
        return parser.currentToken() == JsonToken.END_OBJECT;
      }
    } catch (IOException e) {
      // Not JSON, or not all of it.
    }
    return false;
  }

  /** Reads the members of the object that begins at the current token; any other value has none. */
  public static void readMembers(JsonParser parser, MemberReader reader) throws IOException {
    boolean isObject = parser.currentToken() == JsonToken.START_OBJECT;
    while (isObject && parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      parser.nextToken();
      reader.read(name);
      parser.skipChildren();
    }
  }

  /** Reads the objects of an array; what else is in it, and any other value, is skipped. */
  public static void readObjects(JsonParser parser, ValueReader reader) throws IOException {
    if (parser.currentToken() == JsonToken.START_ARRAY) {
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        if (parser.currentToken() == JsonToken.START_OBJECT) {
          reader.read(parser);
        } else {
          parser.skipChildren();
        }
      }
    } else {
      parser.skipChildren();
    }
  }

  /** Offset of the current token, relative to the start of the parser. */
  public static int start(JsonParser parser) {
    return (int) parser.currentTokenLocation().getByteOffset();
  }

  /**
   * Returns the end of the value whose first token is the current one; reads up to its last token.
   */
  public static int end(JsonParser parser, byte[] bytes) throws IOException {
    JsonToken token = parser.currentToken();
    if (token.isStructStart()) {
      parser.skipChildren();
      return (int) parser.currentLocation().getByteOffset();
    }
    return scalarEnd(parser, bytes, start(parser));
  }

  /**
   * Returns the end of the current token: a string, number or literal that begins at {@code start}.
   */
  static int scalarEnd(JsonParser parser, byte[] bytes, int start) throws IOException {
    parser.finishToken();
    JsonToken token = parser.currentToken();
    return token == JsonToken.VALUE_STRING || token == JsonToken.FIELD_NAME
        ? ValueCount.stringEnd(bytes, start) + 1
        : start + parser.getTextLength();
  }
}
