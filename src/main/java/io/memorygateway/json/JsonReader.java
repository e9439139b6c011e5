package io.memorygateway.json;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import io.memorygateway.json.JsonValue.Field;
import io.memorygateway.json.JsonValue.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** One pass over a text that holds one JSON value. */
final class JsonReader {
  private static final int VALUES_BETWEEN_CHECKPOINTS = 1 << 12;

  // Default limits of Jackson and other readers.
  private static final int MAX_NUMBER_LENGTH = 1000;
  private static final int MAX_NAME_LENGTH = 50_000;

  /** Largest number of members of an object whose names are checked for duplicates. */
  private static final int MAX_MEMBERS = 200_000;

  private final byte[] json;
  private final JsonParser parser;
  private final ParseOptions options;

  /** Whether strings have to be checked for characters that only an escape can write. */
  private boolean checksCharacters;

  private int valuesLeft;

  private JsonReader(
      byte[] json, JsonParser parser, ParseOptions options, boolean checksCharacters) {
    this.json = json;
    this.parser = parser;
    this.options = options;
    this.checksCharacters = checksCharacters;
    this.valuesLeft = options.maxValues();
  }

  static JsonValue read(byte[] json, ParseOptions options) throws MalformedJsonException {
    boolean checksCharacters = options.strict() && checkBytes(json);
    try (JsonParser parser = Json.open(json, 0, json.length)) {
      if (options.strict()) {
        parser.enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);
      }
      if (parser.nextToken() == null) {
        throw new MalformedJsonException("is empty");
      }
      JsonReader reader = new JsonReader(json, parser, options, checksCharacters);
      JsonValue value = reader.read(options.levels());
      if (parser.nextToken() != null) {
        throw new MalformedJsonException("must be a single JSON value");
      }
      return value;
    } catch (MalformedJsonException e) {
      throw e;
    } catch (StreamConstraintsException e) {
      throw tooLarge();
    } catch (JsonParseException e) {
      boolean duplicate = String.valueOf(e.getOriginalMessage()).startsWith("Duplicate field");
      throw new MalformedJsonException(
          duplicate ? "names a member of an object twice" : "is not valid JSON");
    } catch (IOException e) {
      throw new MalformedJsonException("is not valid JSON");
    }
  }

  private JsonValue read(int levels) throws IOException {
    if (valuesLeft-- == 0) {
      throw new MalformedJsonException.TooManyValues();
    }
    if (valuesLeft % VALUES_BETWEEN_CHECKPOINTS == 0) {
      options.checkpoint().run();
    }
    JsonToken token = parser.currentToken();
    int start = Json.start(parser);
    if (!token.isStructStart()) {
      checkScalar(token);
      int end = Json.scalarEnd(parser, json, start);
      return new JsonValue(kind(token), json, start, end, List.of(), List.of());
    }
    boolean object = token == JsonToken.START_OBJECT;
    if (levels <= 0) {
      skip();
      return new JsonValue(kind(token), json, start, here(), null, null);
    }
    List<Field> fields = object ? new ArrayList<>() : List.of();
    List<JsonValue> items = object ? List.of() : new ArrayList<>();
    if (object) {
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        int nameStart = Json.start(parser);
        String name = parser.currentName();
        checkName(name);
        parser.nextToken();
        boolean checked = checksCharacters;
        checksCharacters &= !name.equals(options.contents());
        fields.add(new Field(name, nameStart, read(levels - 1)));
        checksCharacters = checked;
      }
    } else {
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        items.add(read(levels - 1));
      }
    }
    return new JsonValue(kind(token), json, start, here(), fields, items);
  }

  /** Skips the rest of the array or object that the current token begins. */
  private void skip() throws IOException {
    if (!options.strict()) {
      parser.skipChildren();
      return;
    }
    int depth = 1;
    while (depth > 0) {
      JsonToken token = parser.nextToken();
      if (token.isStructStart()) {
        depth++;
      } else if (token.isStructEnd()) {
        depth--;
      } else if (token == JsonToken.FIELD_NAME) {
        checkName(parser.currentName());
      } else {
        checkScalar(token);
      }
    }
  }

  private int here() {
    return (int) parser.currentLocation().getByteOffset();
  }

  private void checkName(String name) throws MalformedJsonException {
    if (options.strict() && name.length() > MAX_NAME_LENGTH) {
      throw tooLarge();
    }
    if (options.strict() && parser.getParsingContext().getCurrentIndex() >= MAX_MEMBERS) {
      throw new MalformedJsonException("has an object of too many members");
    }
    checkCharacters(name);
  }

  private void checkScalar(JsonToken token) throws IOException {
    if (checksCharacters && token == JsonToken.VALUE_STRING) {
      checkCharacters(parser.getText());
    } else if (options.strict()
        && token.isNumeric()
        && parser.getTextLength() > MAX_NUMBER_LENGTH) {
      throw tooLarge();
    }
  }

  private void checkCharacters(String string) throws MalformedJsonException {
    if (checksCharacters && !Characters.areStorable(string)) {
      throw new MalformedJsonException(
          "has a string with the character NUL or half a surrogate pair");
    }
  }

  /** Checks bytes strictly; returns whether any of them may begin a Unicode escape. */
  private static boolean checkBytes(byte[] json) throws MalformedJsonException {
    boolean escapes = false;
    for (int i = 0; i < json.length; i++) {
      if (json[i] == 0) {
        throw new MalformedJsonException("is not UTF-8 text");
      }
      escapes |= json[i] == 'u' && i > 0 && json[i - 1] == '\\';
    }
    if (!Utf8.isValid(json)) {
      throw new MalformedJsonException("is not UTF-8 text");
    }
    return escapes;
  }

  private static Kind kind(JsonToken token) {
    return switch (token) {
      case START_OBJECT -> Kind.OBJECT;
      case START_ARRAY -> Kind.ARRAY;
      case VALUE_STRING -> Kind.STRING;
      case VALUE_TRUE, VALUE_FALSE -> Kind.BOOLEAN;
      case VALUE_NULL -> Kind.NULL;
      default -> Kind.NUMBER;
    };
  }

  private static MalformedJsonException tooLarge() {
    return new MalformedJsonException(
        "is nested too deeply, or has a number or name that is too long");
  }
}
