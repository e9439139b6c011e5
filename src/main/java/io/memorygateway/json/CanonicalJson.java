package io.memorygateway.json;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * JSON in one canonical form: members sorted by name, no white space, only necessary escapes,
 * numbers by their value. Two values with the same form are equal.
 */
public final class CanonicalJson {
  /** Digits; longer numbers keep their text. */
  private static final int MAX_NUMBER = 40;

  private CanonicalJson() {}

  public static String of(JsonValue value) {
    return without(Set.of(), value);
  }

  /** Returns the canonical form of a value without some of its top-level members. */
  public static String without(Set<String> members, JsonValue value) {
    StringBuilder out = new StringBuilder();
    write(value, members, out);
    return out.toString();
  }

  private static void write(JsonValue value, Set<String> dropped, StringBuilder out) {
    if (value.isObject()) {
      List<JsonValue.Field> fields = new ArrayList<>(value.fields());
      fields.removeIf(field -> dropped.contains(field.name()));
      fields.sort(Comparator.comparing(JsonValue.Field::name));
      out.append('{');
      for (JsonValue.Field field : fields) {
        out.append(JsonWriter.quote(field.name())).append(':');
        write(field.value(), Set.of(), out);
        out.append(',');
      }
      out.append('}');
    } else if (value.isArray()) {
      out.append('[');
      for (JsonValue item : value.items()) {
        write(item, Set.of(), out);
        out.append(',');
      }
      out.append(']');
    } else {
      out.append(value.isString() ? JsonWriter.quote(value.text()) : number(value.raw()));
    }
  }

  /** A number without zeros that say nothing; another word as it is. */
  private static String number(String raw) {
    boolean isWhole = raw.chars().allMatch(c -> c >= '0' && c <= '9');
    if (isWhole || raw.length() > MAX_NUMBER || Character.isLetter(raw.charAt(0))) {
      return raw;
    }
    try {
      BigDecimal value = new BigDecimal(raw).stripTrailingZeros();
      return value.scale() <= 0 && (long) value.precision() - value.scale() <= MAX_NUMBER
          ? value.toBigInteger().toString()
          : value.toString();
    } catch (ArithmeticException | NumberFormatException e) {
      return raw; // an exponent out of range
    }
  }
}
