package io.memorygateway.format.responses;

import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Converts items of Responses to messages of a thread. */
final class ResponsesItems {
  /** The type of an item that sets how all answers behind it are. */
  static final String UPDATE = "configuration_update";

  private static final Set<String> OF_THE_USER = Set.of("mcp_approval_response", "agent_message");

  /**
   * What a program of the model gave, which the provider runs, as it does what says {@code server}.
   */
  private static final String PROGRAM_OUTPUT = "program_output";

  private static final Set<String> OF_A_REFERENCE = Set.of("id", "type");

  private ResponsesItems() {}

  /**
   * The items of a whole response. Some servers say its text beside them: in {@code output_text},
   * or as the output itself.
   */
  static List<JsonValue> of(JsonValue response) {
    List<JsonValue> items = output(response);
    JsonValue text = text(response);
    if (text == null || items.stream().anyMatch(item -> typeOf(item).equals("message"))) {
      return items;
    }
    List<JsonValue> all = new ArrayList<>(items);
    all.add(text);
    return all;
  }

  static List<JsonValue> output(JsonValue response) {
    return response.at("output").items().stream()
        .filter(JsonValue::isObject)
        .map(ResponsesItems::answered)
        .toList();
  }

  /** The message of the text that a response has beside its items; null if it has none. */
  static @Nullable JsonValue text(JsonValue response) {
    JsonValue output = response.at("output");
    JsonValue text = output.isString() ? output : response.at("output_text");
    return text.text().isEmpty()
        ? null
        : JsonValue.of(
            "{\"type\":\"message\",\"role\":\"assistant\",\"content\":["
                + Part.textPart("output_text", text.raw())
                + "]}");
  }

  /** Whether an item gives the model more tools: a caller's own, or what an answer says of them. */
  static boolean isOfTools(JsonValue item) {
    return item.text("type").equals("additional_tools");
  }

  /** Whether an item tells how to answer, as the members of the call do: it is nothing said. */
  static boolean isOfTheCall(JsonValue item) {
    return isOfTools(item) || item.text("type").equals(UPDATE);
  }

  /** How many there are of each type. */
  static Map<String, Long> types(Stream<String> types) {
    return types.collect(Collectors.groupingBy(type -> type, Collectors.counting()));
  }

  /** The type of an item; of one without it, that of its members. */
  static String typeOf(JsonValue item) {
    String type = item.text("type");
    if (!type.isEmpty()) {
      return type;
    }
    JsonValue said = item.at("content");
    boolean thought =
        !said.isString()
            && said.items().stream().allMatch(part -> part.text("type").equals("reasoning_text"))
            && !(said.items().isEmpty()
                && item.get("summary") == null
                && item.get("encrypted_content") == null);
    boolean call = item.get("arguments") != null && item.get("name") != null;
    return thought
        ? "reasoning"
        : call ? "function_call" : item.get("content") != null ? "message" : "";
  }

  /** An item of an answer with its type, as far as that is known, and a message with its role. */
  static JsonValue answered(JsonValue item) {
    String type = typeOf(item);
    boolean unsaid = type.equals("message") && item.text("role").isEmpty();
    if (!unsaid && (type.isEmpty() || !item.text("type").isEmpty())) {
      return item;
    }
    Set<String> said = unsaid ? Set.of("type", "role") : Set.of("type");
    String others = item.rawMembers(name -> !said.contains(name));
    return JsonValue.of(
        "{\"type\":\""
            + type
            + (unsaid ? "\",\"role\":\"assistant\"" : "\"")
            + (others.isEmpty() ? "" : ",")
            + others
            + "}");
  }

  /** Whether an item is an id alone, which refers to the item that has it. */
  static boolean isBareReference(JsonValue item) {
    return item.string("id") != null
        && item.get("type") == null
        && item.members().keySet().stream().allMatch(OF_A_REFERENCE::contains);
  }

  /** A reference with its type. */
  static JsonValue reference(JsonValue bare) {
    return JsonValue.of(
        "{\"type\":\"item_reference\"," + bare.rawMembers(name -> !name.equals("type")) + "}");
  }

  /** The message of an item: the item itself is the content, and its type tells the role. */
  static StoredMessage stored(JsonValue item) {
    return stored(item, false);
  }

  /**
   * The message of an item.
   *
   * @param answers whether it has the id of a call before it, so that it is its result, whatever
   *     its type is called
   */
  static StoredMessage stored(JsonValue item, boolean answers) {
    return StoredMessage.of(role(item, answers), item);
  }

  /** The role of the message of an item; see {@link #stored}. */
  static String role(JsonValue item, boolean answers) {
    String type = item.text("type");
    if (type.equals("message")) {
      return item.text("role").equals("assistant") ? "assistant" : "user";
    }
    if (OF_THE_USER.contains(type)) {
      return "user";
    }
    if (type.equals(PROGRAM_OUTPUT) || item.text("execution").equals("server")) {
      return "assistant";
    }
    return type.endsWith("_output") || (answers && !type.endsWith("_call")) ? "tool" : "assistant";
  }
}
