package io.memorygateway.format.translation;

import io.memorygateway.json.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A tool that a call offers to the model. */
public sealed interface Tool {
  /** The name by which the caller knows it; of a hosted one its type without a date. */
  String name();

  /** The same tool under another name; a hosted one has its own. */
  default Tool named(String other) {
    return this;
  }

  /**
   * A function with a JSON schema.
   *
   * @param schema of its arguments; null for none
   * @param strict null if the caller does not say
   * @param cacheMark the caller's mark that a cached prefix ends here; null without one
   */
  record Function(
      String name,
      @Nullable String description,
      @Nullable JsonValue schema,
      @Nullable Boolean strict,
      @Nullable JsonValue cacheMark)
      implements Tool {
    @Override
    public Tool named(String other) {
      return new Function(other, description, schema, strict, cacheMark);
    }
  }

  /**
   * A tool of one free text ({@code custom}).
   *
   * @param format that the text must have, a grammar or text; null for any
   */
  record Custom(String name, @Nullable String description, @Nullable JsonValue format)
      implements Tool {
    /** The arguments of the function that stands for it. */
    public static final String SCHEMA =
        "{\"type\":\"object\",\"properties\":{\"input\":{\"type\":\"string\"}},"
            + "\"required\":[\"input\"],\"additionalProperties\":false}";

    /** What the function adds to it. */
    public static final String ADDED = "{\"function\":\"\",\"parameters\":" + SCHEMA + "}";

    @Override
    public Tool named(String other) {
      return new Custom(other, description, format);
    }

    /**
     * The text of a call, which a model makes as one of a function with the string {@code input}:
     * that, or the only text of its arguments, which may be none, or else these as they are.
     */
    public static String input(String arguments) {
      JsonValue value = JsonValue.of(arguments);
      String input = value.isString() ? value.text() : value.string("input");
      if (input != null) {
        return input;
      }
      List<JsonValue.Field> members = value.fields();
      boolean one = members.size() == 1 && members.get(0).value().isString();
      boolean none = value.isObject() && members.isEmpty();
      return one ? members.get(0).value().text() : none ? "" : arguments;
    }
  }

  /**
   * A tool that the provider runs, or knows by its type.
   *
   * @param source as the caller gave it
   */
  record Hosted(String name, JsonValue source) implements Tool {}
}
