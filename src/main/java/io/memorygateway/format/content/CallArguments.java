package io.memorygateway.format.content;

import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;

/** Names and arguments of tool calls as providers take them back: a name, and an object. */
public final class CallArguments {
  private CallArguments() {}

  /** The name of a call, or one in its place if the model gave none. */
  public static String name(String name) {
    return name.isBlank() ? "unknown_tool" : name;
  }

  /** A call with a name, whatever the model gave. */
  public static JsonValue named(JsonValue call) {
    String name = call.text("name");
    return name.isBlank() ? put(call, "name", JsonWriter.quote(name(name))) : call;
  }

  /**
   * A call with a name, and with an object for arguments, whatever the model gave.
   *
   * @param member with the arguments
   * @param quoted whether it is a string that holds the object
   */
  public static JsonValue whole(JsonValue call, String member, boolean quoted) {
    JsonValue given = call.get(member);
    JsonValue named = named(call);
    if (given != null
        && (quoted
            ? given.isString() && JsonValue.of(given.text()).isObject()
            : given.isObject())) {
      return named;
    }
    String object = object(given == null ? "" : given.isString() ? given.text() : given.raw());
    return put(named, member, quoted ? JsonWriter.quote(object) : object);
  }

  private static JsonValue put(JsonValue call, String member, String json) {
    if (call.fields().stream().filter(each -> each.name().equals(member)).count() == 1) {
      return call.with(member, json);
    }
    JsonValue rest = JsonValue.of(call.without(member)); // of a member that comes twice, too
    String first = "{\"" + member + "\":" + json;
    return JsonValue.of(
        rest.fields().isEmpty() ? first + "}" : first + "," + rest.raw().substring(1));
  }

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
