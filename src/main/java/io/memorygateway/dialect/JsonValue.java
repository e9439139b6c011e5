package io.memorygateway.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value as somebody spelt it: a view of UTF-8 bytes, never a copy in other words. What is
 * made of it again is spliced from these bytes.
 */
final class JsonValue {
  /** With its place in a list. */
  private static final long WEIGHT_OF_A_VALUE = 48;

  /** Of a few elements; names are shared. */
  private static final long WEIGHT_OF_A_LIST = 80;

  private static final long WEIGHT_OF_A_FIELD = 24;

  /** Of stored content that is taken apart: more would weigh a hundred times what it is. */
  private static final int MOST_OF_CONTENT = 500_000;

  /** A member of an object; {@code nameStart} is where its name begins. */
  record Field(String name, int nameStart, JsonValue value) {}

  private final byte[] source;
  private final int start;
  private final int end;
  private final JsonToken token;
  private final List<Field> fields;
  private final List<JsonValue> items;

  private JsonValue(
      byte[] source,
      int start,
      int end,
      JsonToken token,
      List<Field> fields,
      List<JsonValue> items) {
    this.source = source;
    this.start = start;
    this.end = end;
    this.token = token;
    this.fields = fields;
    this.items = items;
  }

  /**
   * Reads exactly one value.
   *
   * @param json kept, not copied
   */
  static JsonValue parse(byte[] json) throws IOException {
    return parse(json, 0, json.length);
  }

  static JsonValue parse(byte[] json, int offset, int length) throws IOException {
    return new Reader(json, offset, Integer.MAX_VALUE, false).read(length);
  }

  /**
   * Reads exactly one value, of a bounded number of values: each takes some fifty bytes, however
   * short it is spelt.
   *
   * @throws TooManyValuesException if there are more
   * @throws java.util.concurrent.CancellationException if the thread is interrupted meanwhile
   */
  static JsonValue parse(byte[] json, int mostValues) throws IOException {
    return new Reader(json, 0, mostValues, true).read(json.length);
  }

  /** Never fails: what is not JSON, or is of too many values, is taken for a text. */
  static JsonValue of(String json) {
    try {
      byte[] bytes = json.getBytes(UTF_8);
      return new Reader(bytes, 0, MOST_OF_CONTENT, false).read(bytes.length);
    } catch (IOException e) {
      byte[] quoted = Json.quote(json).getBytes(UTF_8);
      return new JsonValue(quoted, 0, quoted.length, JsonToken.VALUE_STRING, List.of(), List.of());
    }
  }

  static boolean isValid(String json) {
    try {
      parse(json.getBytes(UTF_8));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Thrown for JSON that holds more values than its reader takes. */
  static final class TooManyValuesException extends IOException {}

  /** One pass over some JSON. */
  private static final class Reader {
    private static final int VALUES_BETWEEN_CHECKS = 1 << 12;

    private final byte[] json;
    private final int base;
    private final boolean cancellable;
    private int left;

    Reader(byte[] json, int base, int mostValues, boolean cancellable) {
      this.cancellable = cancellable;
      this.json = json;
      this.base = base;
      this.left = mostValues;
    }

    JsonValue read(int length) throws IOException {
      try (JsonParser parser = Json.open(json, base, length)) {
        if (parser.nextToken() == null) {
          throw new JsonParseException(parser, "no value");
        }
        JsonValue value = read(parser);
        if (parser.nextToken() != null) {
          throw new JsonParseException(parser, "more than one value");
        }
        return value;
      }
    }

    private JsonValue read(JsonParser parser) throws IOException {
      if (left-- == 0) {
        throw new TooManyValuesException();
      }
      if (cancellable && left % VALUES_BETWEEN_CHECKS == 0) {
        Cancellation.check();
      }
      JsonToken token = parser.currentToken();
      int start = base + Json.start(parser);
      List<Field> fields = List.of();
      List<JsonValue> items = List.of();
      int end;
      if (token == JsonToken.START_OBJECT) {
        fields = new ArrayList<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
          int nameStart = base + Json.start(parser);
          String name = parser.currentName();
          parser.nextToken();
          fields.add(new Field(name, nameStart, read(parser)));
        }
        end = base + (int) parser.currentLocation().getByteOffset();
      } else if (token == JsonToken.START_ARRAY) {
        items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          items.add(read(parser));
        }
        end = base + (int) parser.currentLocation().getByteOffset();
      } else {
        end = Json.scalarEnd(parser, json, start);
      }
      return new JsonValue(json, start, end, token, fields, items);
    }
  }

  boolean isObject() {
    return token == JsonToken.START_OBJECT;
  }

  boolean isArray() {
    return token == JsonToken.START_ARRAY;
  }

  boolean isString() {
    return token == JsonToken.VALUE_STRING;
  }

  boolean isNull() {
    return token == JsonToken.VALUE_NULL;
  }

  /** Bytes that this view takes besides its source, about. */
  long weight() {
    long bytes = WEIGHT_OF_A_VALUE + (isObject() || isArray() ? WEIGHT_OF_A_LIST : 0);
    for (Field field : fields) {
      bytes += WEIGHT_OF_A_FIELD + field.value().weight();
    }
    for (JsonValue item : items) {
      bytes += item.weight();
    }
    return bytes;
  }

  /** Where the value stands in its source. */
  int start() {
    return start;
  }

  int end() {
    return end;
  }

  /** The elements of an array; none of anything else. */
  List<JsonValue> items() {
    return items;
  }

  /** The members of an object; none of anything else. */
  List<Field> fields() {
    return fields;
  }

  /** The value as it is spelt. */
  String raw() {
    return new String(source, start, end - start, UTF_8);
  }

  /** The last member of this name; null if there is none or it is JSON's null. */
  @Nullable JsonValue get(String name) {
    JsonValue found = null;
    for (Field field : fields) {
      if (field.name.equals(name)) {
        found = field.value;
      }
    }
    return found == null || found.isNull() ? null : found;
  }

  /** The text of a member that is a string; null for anything else. */
  @Nullable String string(String name) {
    JsonValue value = get(name);
    return value != null && value.isString() ? value.text() : null;
  }

  /** The text of a member that is a string; empty for anything else. */
  String text(String name) {
    String text = string(name);
    return text == null ? "" : text;
  }

  /** A member that counts something small, from zero; -1 for anything else. */
  int index(String name) {
    JsonValue value = get(name);
    String digits = value == null || value.token != JsonToken.VALUE_NUMBER_INT ? "" : value.raw();
    return digits.matches("[0-9]{1,6}") ? Integer.parseInt(digits) : -1;
  }

  /** What a string says, escapes resolved; empty for anything but a string. */
  String text() {
    if (!isString()) {
      return "";
    }
    for (int i = start + 1; i < end - 1; i++) {
      if (source[i] == '\\') {
        try (JsonParser parser = Json.open(source, start, end - start)) {
          parser.nextToken();
          return parser.getText();
        } catch (IOException e) {
          throw new AssertionError("read before", e);
        }
      }
    }
    return new String(source, start + 1, end - start - 2, UTF_8);
  }

  /** The members whose names pass, as they are spelt, with their commas and without the braces. */
  String members(Predicate<String> names) {
    StringBuilder out = new StringBuilder();
    for (Field field : fields) {
      if (names.test(field.name)) {
        out.append(out.isEmpty() ? "" : ",")
            .append(new String(source, field.nameStart, field.value.end - field.nameStart, UTF_8));
      }
    }
    return out.toString();
  }

  /** An object without a member, spelt as it is otherwise. */
  String without(String name) {
    for (Field field : fields) {
      if (field.name.equals(name)) {
        return "{" + members(kept -> !kept.equals(name)) + "}";
      }
    }
    return raw();
  }

  /** An object with another value for a member that it has; all else as it is. */
  JsonValue with(String name, String json) {
    for (Field field : fields) {
      if (field.name.equals(name)) {
        String before = new String(source, start, field.value.start - start, UTF_8);
        String after = new String(source, field.value.end, end - field.value.end, UTF_8);
        return of(before + json + after);
      }
    }
    return this;
  }
}
