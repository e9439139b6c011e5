package io.memorygateway.json;

import java.math.BigDecimal;
import java.util.Iterator;
import java.util.Map;

/** Equality of JSON values, regardless of how they are written. */
public final class JsonEquality {
  private JsonEquality() {}

  /** Compares values parsed on all levels: members in any order, numbers by value. */
  public static boolean same(JsonValue a, JsonValue b) {
    if (a.kind() != b.kind()) {
      return false;
    }
    return switch (a.kind()) {
      case OBJECT -> sameMembers(a.members(), b.members());
      case ARRAY -> sameElements(a.items().iterator(), b.items().iterator());
      case NUMBER -> sameNumber(a.raw(), b.raw());
      case STRING -> a.text().equals(b.text());
      case BOOLEAN, NULL -> a.raw().equals(b.raw());
    };
  }

  private static boolean sameMembers(Map<String, JsonValue> a, Map<String, JsonValue> b) {
    if (a.size() != b.size()) {
      return false;
    }
    for (Map.Entry<String, JsonValue> member : a.entrySet()) {
      JsonValue other = b.get(member.getKey());
      if (other == null || !same(member.getValue(), other)) {
        return false;
      }
    }
    return true;
  }

  private static boolean sameElements(Iterator<JsonValue> a, Iterator<JsonValue> b) {
    while (a.hasNext() && b.hasNext()) {
      if (!same(a.next(), b.next())) {
        return false;
      }
    }
    return a.hasNext() == b.hasNext();
  }

  private static boolean sameNumber(String a, String b) {
    if (a.equals(b)) {
      return true;
    }
    try {
      return new BigDecimal(a).compareTo(new BigDecimal(b)) == 0;
    } catch (NumberFormatException e) {
      return false; // an exponent out of range: then only the same digits are the same number
    }
  }
}
