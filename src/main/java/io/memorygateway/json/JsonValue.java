package io.memorygateway.json;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One value of a JSON text: what kind it is, and the bytes that spell it. Values below the depth
 * that {@link JsonText} was asked for have no children, only their bytes.
 */
public final class JsonValue {
  /** What a value is. */
  public enum Kind {
    OBJECT,
    ARRAY,
    STRING,
    NUMBER,
    BOOLEAN,
    NULL
  }

  private final Kind kind;
  private final byte[] text;
  private final int start;
  private final int end;
  private final @Nullable String string;
  private final @Nullable Map<String, JsonValue> members;
  private final @Nullable List<JsonValue> elements;

  JsonValue(
      Kind kind,
      byte[] text,
      int start,
      int end,
      @Nullable String string,
      @Nullable Map<String, JsonValue> members,
      @Nullable List<JsonValue> elements) {
    this.kind = kind;
    this.text = text;
    this.start = start;
    this.end = end;
    this.string = string;
    this.members = members;
    this.elements = elements;
  }

  public Kind kind() {
    return kind;
  }

  public boolean is(Kind other) {
    return kind == other;
  }

  /** The value as it was spelt, UTF-8. */
  public byte[] raw() {
    return Arrays.copyOfRange(text, start, end);
  }

  /** The value as it was spelt. */
  public String spelling() {
    return new String(text, start, end - start, StandardCharsets.UTF_8);
  }

  /** Length of {@link #raw()} in bytes. */
  public int length() {
    return end - start;
  }

  /** The characters of a string; of any other kind, its spelling. */
  public String text() {
    return string != null ? string : spelling();
  }

  /** The members of an object, in their order. */
  public Map<String, JsonValue> members() {
    return requireNonNull(members, "not an object, or too deep");
  }

  /** The elements of an array. */
  public List<JsonValue> elements() {
    return requireNonNull(elements, "not an array, or too deep");
  }
}
