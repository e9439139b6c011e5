package io.memorygateway.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.json.JsonValue.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a JSON text in one pass, and refuses with 400 what another reader might take otherwise:
 * bytes that are not UTF-8, members named twice, half a surrogate pair, the character NUL (which
 * many stores and languages cut strings at), more than {@value #MAX_DEPTH} levels, anything after
 * the value.
 */
public final class JsonText {
  /** Levels of arrays and objects inside each other. */
  public static final int MAX_DEPTH = 500;

  /** As many levels of children as the bodies of the memory API have outside of contents. */
  public static final int SHALLOW = 3;

  /** Children down to the last level. */
  public static final int WHOLE = MAX_DEPTH + 1;

  // The length of a text is bounded by whoever reads it from the wire; an image is one string.
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .recyclerPool(JsonRecyclerPools.newConcurrentDequePool())
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxStringLength(Integer.MAX_VALUE)
                  .build())
          .build();

  private final byte[] text;
  private final JsonParser parser;
  private final boolean escapes;

  private JsonText(byte[] text, JsonParser parser, boolean escapes) {
    this.text = text;
    this.parser = parser;
    this.escapes = escapes;
  }

  /**
   * The one value of a text.
   *
   * @param text UTF-8
   * @param levels how many levels get children; what is deeper is checked, but stays a slice
   * @throws ApiException 400
   */
  public static JsonValue parse(byte[] text, int levels) {
    boolean escapes = checkBytes(text);
    try (JsonParser parser = FACTORY.createParser(text)) {
      if (parser.nextToken() == null) {
        throw invalid("The body must be a JSON object.");
      }
      JsonValue value = new JsonText(text, parser, escapes).read(levels);
      if (parser.nextToken() != null) {
        throw invalid("The body must be a single JSON value.");
      }
      return value;
    } catch (StreamConstraintsException e) {
      throw invalid("The body is nested too deeply, or has a number or name that is too long.");
    } catch (JsonParseException e) {
      throw invalid(
          e.getOriginalMessage().startsWith("Duplicate field")
              ? "The body names a member of an object twice."
              : "The body is not valid JSON.");
    } catch (IOException e) {
      throw invalid("The body is not valid JSON.");
    }
  }

  /** The one value of a text that was checked when it was stored. */
  public static JsonValue parse(String text, int levels) {
    return parse(text.getBytes(StandardCharsets.UTF_8), levels);
  }

  private JsonValue read(int levels) throws IOException {
    int start = (int) parser.currentTokenLocation().getByteOffset();
    switch (parser.currentToken()) {
      case START_OBJECT -> {
        Map<String, JsonValue> members = levels > 0 ? new LinkedHashMap<>() : null;
        while (parser.nextToken() != JsonToken.END_OBJECT) {
          String name = parser.currentName();
          checkCharacters(name);
          parser.nextToken();
          JsonValue value = read(levels - 1);
          if (members != null) {
            members.put(name, value);
          }
        }
        return value(Kind.OBJECT, start, here(), null, members, null);
      }
      case START_ARRAY -> {
        List<JsonValue> elements = levels > 0 ? new ArrayList<>() : null;
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          JsonValue value = read(levels - 1);
          if (elements != null) {
            elements.add(value);
          }
        }
        return value(Kind.ARRAY, start, here(), null, null, elements);
      }
      case VALUE_STRING -> {
        parser.finishToken();
        String string = escapes || levels >= 0 ? parser.getText() : null;
        checkCharacters(string);
        return value(Kind.STRING, start, stringEnd(start), string, null, null);
      }
      case VALUE_NULL -> {
        return value(Kind.NULL, start, start + 4, null, null, null);
      }
      case VALUE_TRUE, VALUE_FALSE -> {
        return value(Kind.BOOLEAN, start, start + parser.getTextLength(), null, null, null);
      }
      default -> {
        return value(Kind.NUMBER, start, start + parser.getTextLength(), null, null, null);
      }
    }
  }

  private JsonValue value(
      Kind kind,
      int start,
      int end,
      @Nullable String string,
      @Nullable Map<String, JsonValue> members,
      @Nullable List<JsonValue> elements) {
    return new JsonValue(
        kind,
        text,
        start,
        end,
        string,
        members == null ? null : Collections.unmodifiableMap(members),
        elements == null ? null : Collections.unmodifiableList(elements));
  }

  private int here() {
    return (int) parser.currentLocation().getByteOffset();
  }

  private int stringEnd(int start) {
    int at = start + 1;
    while (text[at] != '"') {
      at += text[at] == '\\' ? 2 : 1;
    }
    return at + 1;
  }

  /** Only an escape can spell these: as bytes they are refused before. */
  private void checkCharacters(@Nullable String string) {
    if (escapes && string != null && !Characters.areStorable(string)) {
      throw invalid("The body has a string with the character NUL or half a surrogate pair.");
    }
  }

  /** Whether the text has any escape by code point. */
  private static boolean checkBytes(byte[] text) {
    boolean ascii = true;
    boolean escapes = false;
    for (int i = 0; i < text.length; i++) {
      if (text[i] == 0) {
        throw invalid("The body is not UTF-8 text.");
      }
      ascii &= text[i] > 0;
      escapes |= text[i] == 'u' && i > 0 && text[i - 1] == '\\';
    }
    if (!ascii) {
      try {
        StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text));
      } catch (CharacterCodingException e) {
        throw invalid("The body is not UTF-8 text.");
      }
    }
    return escapes;
  }

  private static ApiException invalid(String message) {
    return new ApiException(ApiError.invalidRequest(message));
  }
}
