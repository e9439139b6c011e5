package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A view of one value of a JSON text: its kind, its offsets in the UTF-8 bytes, and its children
 * down to the level that was parsed. Values are never serialized: new texts are spliced from these
 * bytes.
 */
public final class JsonValue {
  public enum Kind {
    OBJECT,
    ARRAY,
    STRING,
    NUMBER,
    BOOLEAN,
    NULL
  }

  /** A member of an object; {@code nameStart} is the offset of its name, with the quote. */
  public record Field(String name, int nameStart, JsonValue value) {}

  /** Heap bytes of a value, with its reference in a list. */
  private static final long VALUE_WEIGHT = 48;

  /** Heap bytes of a list of a few elements; names are shared. */
  private static final long LIST_WEIGHT = 80;

  private static final long FIELD_WEIGHT = 24;

  /**
   * Largest number of values parsed of stored content; more would take a hundred times its size.
   */
  private static final int MAX_CONTENT_VALUES = 500_000;

  private static final ParseOptions CONTENT =
      ParseOptions.LENIENT.withMaxValues(MAX_CONTENT_VALUES);

  private static final JsonValue NOTHING = of("null");

  private final byte[] source;
  private final int start;
  private final int end;
  private final Kind kind;
  private final @Nullable List<Field> fields;
  private final @Nullable List<JsonValue> items;

  /**
   * @param fields null, like {@code items}, if the children have not been parsed
   */
  JsonValue(
      Kind kind,
      byte[] source,
      int start,
      int end,
      @Nullable List<Field> fields,
      @Nullable List<JsonValue> items) {
    this.kind = kind;
    this.source = source;
    this.start = start;
    this.end = end;
    this.fields = fields;
    this.items = items;
  }

  /**
   * Parses exactly one value.
   *
   * @param json retained, not copied
   * @throws MalformedJsonException if it is not one, or violates the options
   */
  public static JsonValue parse(byte[] json, ParseOptions options) throws MalformedJsonException {
    return JsonReader.read(json, options);
  }

  /**
   * Parses exactly one value, leniently and whole.
   *
   * @param json retained, not copied
   */
  public static JsonValue parse(byte[] json) throws MalformedJsonException {
    return parse(json, ParseOptions.LENIENT);
  }

  /**
   * Parses a text without failing: one that is not JSON, or has too many values, becomes a string.
   */
  public static JsonValue of(String json) {
    try {
      return parse(json.getBytes(UTF_8), CONTENT);
    } catch (MalformedJsonException e) {
      byte[] quoted = JsonWriter.quote(json).getBytes(UTF_8);
      return new JsonValue(Kind.STRING, quoted, 0, quoted.length, List.of(), List.of());
    }
  }

  /** Parses a text that was checked before it was stored. */
  public static JsonValue ofStored(String json) {
    try {
      return parse(json.getBytes(UTF_8));
    } catch (MalformedJsonException e) {
      throw new IllegalStateException("What is stored " + e.getMessage(), e);
    }
  }

  public static boolean isValid(String json) {
    try {
      parse(json.getBytes(UTF_8));
      return true;
    } catch (MalformedJsonException e) {
      return false;
    }
  }

  public Kind kind() {
    return kind;
  }

  public boolean is(Kind other) {
    return kind == other;
  }

  public boolean isObject() {
    return kind == Kind.OBJECT;
  }

  public boolean isArray() {
    return kind == Kind.ARRAY;
  }

  public boolean isString() {
    return kind == Kind.STRING;
  }

  public boolean isNull() {
    return kind == Kind.NULL;
  }

  /** Approximate heap bytes of this view, without its source. */
  public long weight() {
    long bytes = VALUE_WEIGHT + (isObject() || isArray() ? LIST_WEIGHT : 0);
    if (fields != null) {
      for (Field field : fields) {
        bytes += FIELD_WEIGHT + field.value().weight();
      }
    }
    if (items != null) {
      for (JsonValue item : items) {
        bytes += item.weight();
      }
    }
    return bytes;
  }

  public int start() {
    return start;
  }

  /** Offset of the first byte after the value in its source. */
  public int end() {
    return end;
  }

  public int length() {
    return end - start;
  }

  public String raw() {
    return new String(source, start, end - start, UTF_8);
  }

  public byte[] rawBytes() {
    return Arrays.copyOfRange(source, start, end);
  }

  /** Copies the raw value, UTF-8, to an index of another array. */
  void copyTo(byte[] target, int at) {
    System.arraycopy(source, start, target, at, end - start);
  }

  /** The elements of an array; empty for anything else. */
  public List<JsonValue> items() {
    return requireNonNull(items, "deeper than was parsed");
  }

  /** The members of an object in order, including duplicates; empty for anything else. */
  public List<Field> fields() {
    return requireNonNull(fields, "deeper than was parsed");
  }

  /** The members of an object in order; of several with one name the last. */
  public Map<String, JsonValue> members() {
    Map<String, JsonValue> members = new LinkedHashMap<>();
    for (Field field : fields()) {
      members.put(field.name, field.value);
    }
    return members;
  }

  /** The last member of this name, which may be JSON's null; null if there is none. */
  public @Nullable JsonValue member(String name) {
    List<Field> all = fields();
    for (int i = all.size() - 1; i >= 0; i--) {
      if (all.get(i).name.equals(name)) {
        return all.get(i).value;
      }
    }
    return null;
  }

  /** The last member of this name; null if there is none or it is JSON's null. */
  public @Nullable JsonValue get(String name) {
    JsonValue found = member(name);
    return found == null || found.isNull() ? null : found;
  }

  /** The last member of this name, or JSON's null. */
  public JsonValue at(String name) {
    JsonValue found = member(name);
    return found == null ? NOTHING : found;
  }

  /** Whether a value is missing, null, or an empty string, array or object. */
  public static boolean isEmpty(@Nullable JsonValue value) {
    return value == null
        || value.isNull()
        || (value.isString() && value.text().isEmpty())
        || (value.isArray() && value.items().isEmpty())
        || (value.isObject() && value.fields().isEmpty());
  }

  /** The text of a member that is a string; null for anything else. */
  public @Nullable String string(String name) {
    JsonValue value = get(name);
    return value != null && value.isString() ? value.text() : null;
  }

  /** The text of a member that is a string; empty for anything else. */
  public String text(String name) {
    String text = string(name);
    return text == null ? "" : text;
  }

  /** The text of a member, or its raw JSON if it is no string; empty if missing or null. */
  public String said(String name) {
    JsonValue value = at(name);
    return value.isString() || value.isNull() ? value.text() : value.raw();
  }

  /** The value of a member that is a small integer from zero; -1 for anything else. */
  public int index(String name) {
    JsonValue value = get(name);
    int quote = value != null && value.kind == Kind.STRING ? 1 : 0;
    if (value == null
        || (value.kind != Kind.NUMBER && quote == 0)
        || value.length() > 6 + 2 * quote) {
      return -1;
    }
    int index = value.length() > 2 * quote ? 0 : -1;
    for (int i = value.start + quote; i < value.end - quote && index >= 0; i++) {
      int digit = value.source[i] - '0';
      index = digit >= 0 && digit <= 9 ? 10 * index + digit : -1;
    }
    return index;
  }

  /** The characters of a string, escapes resolved; empty for anything but a string. */
  public String text() {
    if (!isString()) {
      return "";
    }
    StringBuilder text = null;
    int from = start + 1;
    for (int i = from; i < end - 1; i++) {
      if (source[i] == '\\') {
        text = text == null ? new StringBuilder(end - start) : text;
        text.append(new String(source, from, i - from, UTF_8)).append(escaped(++i));
        i += source[i] == 'u' ? 4 : 0;
        from = i + 1;
      }
    }
    String rest = new String(source, from, end - 1 - from, UTF_8);
    return text == null ? rest : text.append(rest).toString();
  }

  /** The character of an escape, from the byte behind its backslash on. */
  private char escaped(int at) {
    return switch (source[at]) {
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> (char) Integer.parseInt(new String(source, at + 1, 4, ISO_8859_1), 16);
      default -> (char) source[at];
    };
  }

  /** The raw members whose names match, with their commas and without the braces. */
  public String rawMembers(Predicate<String> names) {
    StringBuilder out = new StringBuilder();
    for (Field field : fields()) {
      if (names.test(field.name)) {
        out.append(out.isEmpty() ? "" : ",")
            .append(new String(source, field.nameStart, field.value.end - field.nameStart, UTF_8));
      }
    }
    return out.toString();
  }

  /** The raw object without a member. */
  public String without(String name) {
    return member(name) == null ? raw() : "{" + rawMembers(other -> !other.equals(name)) + "}";
  }

  /** Returns the object with another value for an existing member; all else is unchanged. */
  public JsonValue with(String name, String json) {
    for (Field field : fields()) {
      if (field.name.equals(name)) {
        String before = new String(source, start, field.value.start - start, UTF_8);
        String after = new String(source, field.value.end, end - field.value.end, UTF_8);
        return of(before + json + after);
      }
    }
    return this;
  }
}
