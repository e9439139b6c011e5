package io.memorygateway.format.messages;

import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.ToolChoice;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.format.translation.Translator.Topic;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Writes the tools of a call of another format, and which of them the model is to call. */
record MessagesCallTools(Request request, Translator called, Dropped dropped, CacheMarks marks) {
  private static final List<String> UNIONS = List.of("anyOf", "oneOf", "allOf");

  void write(JsonObject body) throws MalformedBodyException {
    ToolChoice choice = request.choice();
    ToolChoice.Mode mode = choice == null ? ToolChoice.Mode.AUTO : choice.mode();
    Set<String> offered = new LinkedHashSet<>();
    StringJoiner tools = new StringJoiner(",", "[", "]");
    for (Tool tool : request.tools()) {
      if (tool instanceof Tool.Hosted) {
        dropped.add("tools." + tool.name());
        if (choice != null && tool.name().equals(choice.name())) {
          throw refused();
        }
      } else if (offered.add(tool.name())) {
        tools.add(tool instanceof Tool.Custom custom ? custom(custom) : tool((Tool.Function) tool));
      }
    }
    if (!offered.isEmpty()) {
      body.raw("tools", tools.toString());
      writeChoice(mode, choice, body);
      return;
    }
    if (mode == ToolChoice.Mode.REQUIRED || mode == ToolChoice.Mode.NAMED) {
      throw refused();
    }
    Set<String> used = MessagesTools.names(request.messages());
    if (!used.isEmpty()) {
      body.raw("tools", MessagesTools.declared(used)).raw("tool_choice", "{\"type\":\"none\"}");
    }
  }

  private MalformedBodyException refused() {
    return new MalformedBodyException(
        called.nameOf(Topic.TOOL_CHOICE)
            + " cannot be asked of this model: it demands a tool that the model's provider does not"
            + " have.");
  }

  private void writeChoice(ToolChoice.Mode mode, @Nullable ToolChoice choice, JsonObject body) {
    boolean single = Boolean.FALSE.equals(request.parallelCalls()) && mode != ToolChoice.Mode.NONE;
    if (choice == null && !single) {
      return;
    }
    JsonObject json = new JsonObject();
    switch (mode) {
      case AUTO -> json.string("type", "auto");
      case NONE -> json.string("type", "none");
      case REQUIRED -> json.string("type", "any");
      case NAMED -> json.string("type", "tool").string("name", choice == null ? "" : choice.name());
    }
    if (single) {
      json.bool("disable_parallel_tool_use", true);
    }
    body.raw("tool_choice", json.toString());
  }

  private String tool(Tool.Function tool) {
    String schema = schema(tool.schema());
    String strict = Boolean.TRUE.equals(tool.strict()) ? strict(tool.schema(), schema) : null;
    JsonObject json =
        new JsonObject()
            .string("name", tool.name())
            .string("description", tool.description())
            .raw("input_schema", strict == null ? schema : strict);
    if (strict != null) {
      json.bool("strict", true);
    }
    return json.raw("cache_control", marks.ofTool(tool.cacheMark())).toString();
  }

  /**
   * A schema to which the model is held; null, and named, if it cannot be held to all that is asked
   * for.
   */
  private @Nullable String strict(@Nullable JsonValue asked, String schema) {
    MessagesSchema taken = new MessagesSchema(JsonValue.of(schema));
    if (taken.isWhole() && !hasAlternatives(asked)) {
      return taken.toString();
    }
    dropped.add("tools.strict");
    return null;
  }

  /** A tool of one free text as a function of one string, its grammar in words. */
  private static String custom(Tool.Custom tool) {
    StringJoiner description = new StringJoiner("\n\n");
    if (tool.description() != null) {
      description.add(tool.description());
    }
    JsonValue format = tool.format();
    JsonValue grammar = format == null ? null : format.get("grammar");
    JsonValue rule = grammar != null && grammar.isObject() ? grammar : format;
    String definition = rule == null ? "" : rule.text("definition");
    if (rule != null && !definition.isEmpty()) {
      description.add(
          "The input must follow this grammar (" + rule.text("syntax") + "):\n" + definition);
    }
    return new JsonObject()
        .string("name", tool.name())
        .string("description", description.length() == 0 ? null : description.toString())
        .raw(
            "input_schema",
            "{\"type\":\"object\",\"properties\":{\"input\":{\"type\":\"string\"}},\"required\":[\"input\"]}")
        .toString();
  }

  private static boolean hasAlternatives(@Nullable JsonValue schema) {
    return schema != null && UNIONS.stream().anyMatch(union -> schema.get(union) != null);
  }

  /** A schema of an object without alternatives at its root, which is all that is taken. */
  private static String schema(@Nullable JsonValue given) {
    JsonValue schema = given != null && given.isObject() ? given : JsonValue.of("{}");
    if (hasAlternatives(schema)) {
      return merged(schema);
    }
    if (schema.text("type").equals("object")) {
      return schema.raw();
    }
    String others = schema.rawMembers(name -> !name.equals("type"));
    return "{\"type\":\"object\"" + (others.isEmpty() ? "" : "," + others) + "}";
  }

  /** A schema with the properties of all its alternatives; what each requires is required. */
  private static String merged(JsonValue schema) {
    Map<String, String> properties = new LinkedHashMap<>();
    Set<String> required = new LinkedHashSet<>();
    add(schema, properties, required);
    for (String union : UNIONS) {
      Set<String> common = null;
      for (JsonValue one : schema.at(union).items()) {
        Set<String> own = new LinkedHashSet<>();
        add(one, properties, own);
        if (common == null) {
          common = own;
        } else if (union.equals("allOf")) {
          common.addAll(own);
        } else {
          common.retainAll(own);
        }
      }
      required.addAll(common == null ? Set.of() : common);
    }
    JsonObject all = new JsonObject();
    properties.forEach(all::raw);
    StringJoiner names = new StringJoiner(",", "[", "]");
    required.forEach(name -> names.add(JsonWriter.quote(name)));
    String others =
        schema.rawMembers(
            name ->
                !UNIONS.contains(name) && !Set.of("type", "properties", "required").contains(name));
    return "{\"type\":\"object\",\"properties\":%s,\"required\":%s%s}"
        .formatted(all, names, others.isEmpty() ? "" : "," + others);
  }

  private static void add(JsonValue schema, Map<String, String> properties, Set<String> required) {
    for (JsonValue.Field property : schema.at("properties").fields()) {
      properties.putIfAbsent(property.name(), property.value().raw());
    }
    for (JsonValue name : schema.at("required").items()) {
      required.add(name.text());
    }
  }
}
