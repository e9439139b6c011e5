package io.memorygateway.price;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Conditions on names, in the words of the table: a text in which {@code *} at an end is anything
 * and {@code #} a digit, a list of which one holds, a map with {@code and} or {@code not}, or
 * nothing, which never holds. Each looks at a name once from the left.
 */
final class NamePattern {
  private NamePattern() {}

  static Predicate<String> of(JsonNode written) {
    if (written.isTextual()) {
      return of(written.asText());
    }
    if (written.isArray()) {
      List<Predicate<String>> any = all(written);
      return name -> any.stream().anyMatch(each -> each.test(name));
    }
    if (written.has("and")) {
      List<Predicate<String>> all = all(written.path("and"));
      return name -> all.stream().allMatch(each -> each.test(name));
    }
    return written.has("not") ? of(written.path("not")).negate() : name -> false;
  }

  private static List<Predicate<String>> all(JsonNode list) {
    List<Predicate<String>> all = new ArrayList<>();
    list.forEach(each -> all.add(of(each)));
    return all;
  }

  private static Predicate<String> of(String pattern) {
    boolean open = pattern.endsWith("*");
    String text = open ? pattern.substring(0, pattern.length() - 1) : pattern;
    if (text.startsWith("*")) {
      String part = text.substring(1);
      return open ? name -> name.contains(part) : name -> name.endsWith(part);
    }
    if (text.indexOf('#') >= 0) {
      return name -> (open || name.length() == text.length()) && beginsLike(text, name);
    }
    return open ? name -> name.startsWith(text) : text::equals;
  }

  private static boolean beginsLike(String text, String name) {
    if (name.length() < text.length()) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char wanted = text.charAt(i);
      char there = name.charAt(i);
      if (wanted == '#' ? !Character.isDigit(there) : wanted != there) {
        return false;
      }
    }
    return true;
  }
}
