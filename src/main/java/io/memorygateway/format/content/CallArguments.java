package io.memorygateway.format.content;

import io.memorygateway.json.Json;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.json.Sha256;
import java.util.List;
import java.util.Set;

/** Names and arguments of tool calls as providers take them back: a name, and an object. */
public final class CallArguments {
  private CallArguments() {}

  /** The longest name that every target takes. */
  public static final int MAX_NAME = 64;

  private static final int HASH_LENGTH = 8;

  /** Levels of a call of Messages above the arguments of one of its calls of tools. */
  private static final int ABOVE = 5;

  /**
   * A name of at most so many ASCII letters, digits, {@code _} and {@code -}: itself if it is of
   * those, else one that is the same for the same name.
   */
  public static String fit(String name, int maxLength) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < name.length() && i <= maxLength; i++) {
      char c = name.charAt(i);
      boolean fits = c < 128 && (Character.isLetterOrDigit(c) || c == '_' || c == '-');
      plain.append(fits ? c : '_');
    }
    if (plain.toString().equals(name) && !name.isEmpty() && name.length() <= maxLength) {
      return name;
    }
    String hash = "_" + Sha256.hex(name).substring(0, HASH_LENGTH);
    plain.setLength(Math.min(plain.length(), maxLength - hash.length()));
    return plain + hash;
  }

  /** A call under another name. */
  static JsonValue renamed(JsonValue call, String name) {
    for (String member : List.of("function", "custom")) {
      JsonValue holder = call.get(member);
      if (holder != null) {
        return call.with(member, put(holder, "name", JsonWriter.quote(name)).raw());
      }
    }
    return put(call, "name", JsonWriter.quote(name));
  }

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
            : given.isObject() && !isTooDeep(given.raw()))) {
      return named;
    }
    String object = object(call.said(member));
    return put(named, member, quoted ? JsonWriter.quote(object) : object);
  }

  /**
   * A call of Chat with all that its endpoint demands of one, but for its id: some servers leave
   * out the type, or write name and arguments where other endpoints have them.
   */
  public static JsonValue ofChat(JsonValue call) {
    JsonValue function = call.get("function");
    JsonValue custom = function == null ? call.get("custom") : null;
    String member = custom == null ? "function" : "custom";
    JsonValue mended = custom == null ? whole(functionOf(call), "arguments", true) : named(custom);
    JsonValue held = custom == null ? function : custom;
    JsonValue whole = mended == held ? call : put(call, member, mended.raw());
    return call.text("type").isEmpty() ? put(whole, "type", JsonWriter.quote(member)) : whole;
  }

  /** What has the name and arguments of a call of a function. */
  static JsonValue functionOf(JsonValue call) {
    JsonValue function = call.get("function");
    return function == null
        ? JsonValue.of("{" + call.rawMembers(Set.of("name", "arguments")::contains) + "}")
        : function;
  }

  /** The object with a value for a member, whether it had none, one, or several. */
  static JsonValue put(JsonValue call, String member, String json) {
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
    if (isTooDeep(arguments)) {
      value = JsonValue.of(JsonWriter.quote(arguments));
    }
    return value.isObject() ? value.raw() : "{\"arguments\":" + value.raw() + "}";
  }

  /** Whether a call with these arguments would be nested deeper than what is read. */
  private static boolean isTooDeep(String arguments) {
    return arguments.chars().filter(c -> c == '{' || c == '[').count() > Json.MAX_DEPTH - ABOVE
        && !JsonValue.of("[".repeat(ABOVE) + arguments + "]".repeat(ABOVE)).isArray();
  }
}
