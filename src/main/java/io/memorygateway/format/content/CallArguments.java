package io.memorygateway.format.content;

import io.memorygateway.json.JsonValue;

/** The arguments of a tool call as providers take them back: always an object. */
public final class CallArguments {
  private CallArguments() {}

  /**
   * The arguments, if they are an object; anything else, such as what a model broke off or wrote
   * wrongly, is kept in one as its member {@code arguments}.
   *
   * @param arguments JSON, or what was received of it
   */
  public static String object(String arguments) {
    if (arguments.isBlank()) {
      return "{}";
    }
    JsonValue value = JsonValue.of(arguments);
    return value.isObject() ? value.raw() : "{\"arguments\":" + value.raw() + "}";
  }
}
