package io.memorygateway.format.chat;

import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Effort;
import io.memorygateway.format.translation.Member;
import io.memorygateway.format.translation.OutputFormat;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.ToolChoice;
import io.memorygateway.format.translation.ToolChoice.Mode;
import io.memorygateway.json.Characters;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a call of Chat Completions in no format's words. */
final class ChatCallReader {
  /** Digits of a number of tokens; a longer one is no limit. */
  private static final int MAX_DIGITS = 15;

  /** Characters of the date of a hosted tool, with the stroke before it. */
  private static final int DATE = 9;

  /** Members of messages that are read apart from their content. */
  private static final Set<String> APART = Set.of("audio", "name", "annotations");

  private final JsonValue root;
  private final Dropped dropped;
  private final List<Utterance> messages = new ArrayList<>();
  private final List<Tool> tools = new ArrayList<>();
  private @Nullable ToolChoice choice;

  ChatCallReader(JsonValue root, Dropped dropped) {
    this.root = root;
    this.dropped = dropped;
  }

  /** Whether a call offers functions in the form before tools, in which it is then answered. */
  static boolean isOfFunctions(JsonValue root) {
    return root.get("functions") != null && root.get("tools") == null;
  }

  Request read() throws MalformedBodyException {
    Map<String, Request.Shared> shared = Member.read(root, ChatMembers.ALL, dropped);
    for (JsonValue message : Conversation.messagesOf(root).items()) {
      JsonValue content = message.get("content");
      if (content != null && !content.isNull() && !content.isString() && !content.isArray()) {
        dropped.refuse(content.raw(), "messages.content must be a string or an array of parts.");
      }
      if (message.string("role") == null) {
        throw new MalformedBodyException("Each message must be an object with a role.");
      }
      readMessage(message);
    }
    readTools();
    readChoice();
    String effort = text("reasoning_effort");
    if (effort != null && Effort.ofWireName(effort) == null) {
      dropped.add("reasoning_effort");
    }
    Long limit = count("max_completion_tokens");
    Boolean parallel = flag("parallel_tool_calls");
    return new Request(
        messages,
        tools,
        choice,
        (parallel == null && isOfFunctions(root)) ? Boolean.FALSE : parallel,
        output(),
        effort == null ? null : Effort.ofWireName(effort),
        null,
        limit == null ? count("max_tokens") : limit,
        stop(),
        text("user"),
        Boolean.TRUE.equals(flag("stream")),
        shared);
  }

  private void readMessage(JsonValue message) {
    boolean plain = message.fields().stream().noneMatch(field -> isApart(field.name()));
    JsonValue said =
        plain ? message : JsonValue.of("{" + message.rawMembers(name -> !isApart(name)) + "}");
    Utterance utterance = StoredMessage.utteranceOf(said, Shape.CHAT);
    if (utterance.ofSystem()) {
      messages.add(Utterance.of("system", utterance.parts()));
    } else if (plain) {
      messages.add(utterance);
    } else {
      messages.add(utterance.withParts(parts(message, utterance)));
    }
    if (!message.text("name").isEmpty() && !utterance.role().equals("tool")) {
      dropped.add("messages.name");
    }
    if (utterance.ofModel() && ChatReasoning.isSigned(message)) {
      dropped.add("reasoning"); // by nobody knows whom
    }
  }

  private static boolean isApart(String member) {
    return APART.contains(member) || ChatReasoning.is(member);
  }

  /** The parts of a message of the model, with those of its own members. */
  private List<Part> parts(JsonValue message, Utterance utterance) {
    List<Part> parts = new ArrayList<>();
    if (utterance.ofModel()) {
      parts.addAll(ChatReasoning.parts(message));
    }
    parts.addAll(utterance.parts());
    JsonValue audio = message.get("audio");
    if (audio != null) {
      dropped.add("messages.audio");
      String transcript = audio.text("transcript");
      if (!transcript.isEmpty() && utterance.parts().isEmpty()) {
        parts.add(Part.Text.of(transcript));
      }
    }
    return parts;
  }

  private void readTools() throws MalformedBodyException {
    for (JsonValue tool : list("tools")) {
      String type = tool.text("type");
      JsonValue function = tool.get("function");
      JsonValue custom = tool.get("custom");
      if (function != null && (type.isEmpty() || type.equals("function"))) {
        tools.add(function(function, "tools", tool.get("cache_control")));
      } else if (custom != null && type.equals("custom")) {
        tools.add(
            new Tool.Custom(
                name(custom, "tools"), custom.string("description"), custom.get("format")));
      } else if (type.isEmpty() || type.equals("function") || type.equals("custom")) {
        throw new MalformedBodyException("tools: each must have a type and what it says.");
      } else {
        tools.add(new Tool.Hosted(hosted(type), tool));
      }
    }
    if (isOfFunctions(root)) {
      for (JsonValue function : list("functions")) {
        tools.add(function(function, "functions", null));
      }
    }
  }

  private static Tool function(JsonValue function, String member, @Nullable JsonValue mark)
      throws MalformedBodyException {
    return new Tool.Function(
        name(function, member),
        function.string("description"),
        function.get("parameters"),
        flag(function.get("strict"), member + ".strict"),
        mark);
  }

  private static String name(JsonValue tool, String member) throws MalformedBodyException {
    String name = tool.text("name");
    if (name.isBlank()) {
      throw new MalformedBodyException(member + ": each must have a name.");
    }
    return name;
  }

  /** The type of a hosted tool without its date, such as {@code _20250305}. */
  private static String hosted(String type) {
    int name = type.length() - DATE;
    boolean dated =
        name > 0
            && type.charAt(name) == '_'
            && Characters.areDigits(type.substring(name + 1), DATE);
    return dated ? type.substring(0, name) : type;
  }

  private void readChoice() throws MalformedBodyException {
    JsonValue said = root.get("tool_choice");
    if (said == null && isOfFunctions(root)) {
      said = root.get("function_call");
    }
    if (said == null) {
      return;
    }
    String type = said.isString() ? said.text() : said.text("type");
    switch (type) {
      case "auto", "none", "required" ->
          choice = ToolChoice.of(Mode.valueOf(type.toUpperCase(Locale.ROOT)));
      case "allowed_tools" -> readAllowed(said.at(type));
      default -> {
        JsonValue named = type.equals("function") || type.equals("custom") ? said.get(type) : said;
        boolean known = named != null && !named.text("name").isBlank();
        if (!known && (type.isEmpty() || said.isString() || named != said)) {
          throw new MalformedBodyException("tool_choice cannot be read.");
        }
        choice = ToolChoice.named(known && named != null ? named.text("name") : hosted(type));
      }
    }
  }

  /** Leaves the tools out that may not be called: no other format has a choice of some. */
  private void readAllowed(JsonValue allowed) throws MalformedBodyException {
    JsonValue list = allowed.at("tools");
    if (!list.isArray()) {
      throw new MalformedBodyException("tool_choice.allowed_tools cannot be read.");
    }
    Set<String> names = new HashSet<>();
    for (JsonValue tool : list.items()) {
      JsonValue named = tool.get(tool.text("type"));
      names.add(named == null ? hosted(tool.text("type")) : named.text("name"));
    }
    tools.removeIf(tool -> !names.contains(tool.name()));
    choice = ToolChoice.of(allowed.text("mode").equals("required") ? Mode.REQUIRED : Mode.AUTO);
    dropped.add("tool_choice.allowed_tools");
  }

  private @Nullable OutputFormat output() throws MalformedBodyException {
    JsonValue format = root.get("response_format");
    if (format == null) {
      return null;
    }
    return switch (format.text("type")) {
      case "text" -> null;
      case "json_object" -> OutputFormat.JSON;
      case "json_schema" -> schema(format.at("json_schema"));
      default -> throw new MalformedBodyException("response_format cannot be asked of this model.");
    };
  }

  private static OutputFormat schema(JsonValue format) throws MalformedBodyException {
    if (!format.isObject()) {
      throw new MalformedBodyException("response_format.json_schema must be an object.");
    }
    return new OutputFormat(
        format.get("schema"),
        format.string("name"),
        format.string("description"),
        flag(format.get("strict"), "response_format.json_schema.strict"));
  }

  private List<String> stop() throws MalformedBodyException {
    JsonValue stop = root.at("stop");
    if (stop.isString()) {
      return List.of(stop.text());
    }
    if (!(stop.isNull() || stop.isArray())
        || !stop.items().stream().allMatch(JsonValue::isString)) {
      throw new MalformedBodyException("stop must be a string or an array of strings.");
    }
    return stop.items().stream().map(JsonValue::text).toList();
  }

  private List<JsonValue> list(String name) throws MalformedBodyException {
    JsonValue list = root.at(name);
    if (!list.isNull() && !list.isArray()) {
      throw new MalformedBodyException(name + " must be an array.");
    }
    return list.items();
  }

  private @Nullable String text(String name) throws MalformedBodyException {
    JsonValue value = root.get(name);
    if (value != null && !value.isString()) {
      throw new MalformedBodyException(name + " must be a string.");
    }
    return value == null ? null : value.text();
  }

  private @Nullable Long count(String name) throws MalformedBodyException {
    JsonValue value = root.get(name);
    if (value == null) {
      return null;
    }
    if (!Characters.areDigits(value.raw(), MAX_DIGITS)) {
      throw new MalformedBodyException(name + " must be a number of tokens.");
    }
    return Long.parseLong(value.raw());
  }

  private @Nullable Boolean flag(String name) throws MalformedBodyException {
    return flag(root.get(name), name);
  }

  private static @Nullable Boolean flag(@Nullable JsonValue value, String name)
      throws MalformedBodyException {
    if (value != null && !value.is(JsonValue.Kind.BOOLEAN)) {
      throw new MalformedBodyException(name + " must be true or false.");
    }
    return value == null ? null : value.raw().equals("true");
  }
}
