package io.memorygateway.format.responses;

import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.PartReader;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Effort;
import io.memorygateway.format.translation.Member;
import io.memorygateway.format.translation.OutputFormat;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.ToolChoice;
import io.memorygateway.json.Characters;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads one Responses call in no format's words. The items of a run of the model are one message,
 * as are the results behind it.
 */
final class ResponsesCallReader {
  static final String LOGPROBS = "message.output_text.logprobs";

  /** Items that say nothing of their own: the tools in them are read with the others. */
  private static final Set<String> SILENT = Set.of("additional_tools");

  private static final String NOT_STORED =
      "nothing is stored under its id. With \"store\": false, which SDKs take as an option, the"
          + " client sends the items themselves.";

  /** What a model is told in the place of a summary that it cannot read. */
  private static final JsonValue COMPACTED =
      JsonValue.of(
          "\"What was said before this point was compacted into a form that only the provider of"
              + " another model can read, and is not part of this prompt.\"");

  private final JsonValue root;
  private final Dropped dropped;
  private final ResponsesTools tools;
  private final List<Utterance> messages = new ArrayList<>();

  /** What items set of reasoning and text for all answers behind them, the last of each member. */
  private final Map<String, JsonValue> updates = new HashMap<>();

  /** The run of parts of one role that is being read. */
  private final List<Part> run = new ArrayList<>();

  private String role = "";

  ResponsesCallReader(JsonValue root, Dropped dropped) {
    this.root = root;
    this.dropped = dropped;
    this.tools = new ResponsesTools(root);
  }

  Request read(List<Member> members) throws MalformedBodyException {
    if (!root.isObject()) {
      throw new MalformedBodyException("The body must be an object.");
    }
    Map<String, Request.Shared> shared = Member.read(root, members, dropped);
    // What Chat takes without it too, and strict servers may not know.
    shared.values().removeIf(Request.Shared::silent);
    // The default here, and not that of Chat.
    shared.computeIfPresent(
        "store", (name, store) -> new Request.Shared(name, store.value(), true));
    readMessages();
    Allowed allowed = allowed();
    JsonValue text = object("text");
    JsonValue verbosity = inForce(text, "verbosity");
    if (verbosity != null && !verbosity.text().equals("medium")) {
      shared.put("verbosity", new Request.Shared("text.verbosity", verbosity));
    }
    if (root.at("include").items().stream().anyMatch(ask -> ask.text().equals(LOGPROBS))) {
      shared.put("logprobs", new Request.Shared("include." + LOGPROBS, JsonValue.of("true")));
    }
    JsonValue format = inForce(text, "format");
    return new Request(
        messages,
        allowed.tools,
        allowed.choice,
        bool("parallel_tool_calls"),
        format == null ? null : outputFormat(format),
        effort(),
        null,
        maxOutput(),
        List.of(),
        root.string("user"),
        Boolean.TRUE.equals(bool("stream")),
        shared);
  }

  private void readMessages() throws MalformedBodyException {
    JsonValue instructions = root.get("instructions");
    if (instructions != null) {
      add("system", PartReader.read(text(instructions, "instructions")));
    }
    JsonValue input = root.get("input");
    if (input != null && input.isString()) {
      add("user", PartReader.read(input));
    } else if (input != null && input.isArray()) {
      Set<String> calls = new HashSet<>();
      for (JsonValue item : input.items()) {
        readItem(item, calls);
      }
    } else if (input != null) {
      throw new MalformedBodyException("input must be a string or an array.");
    }
    flush();
  }

  private void readItem(JsonValue item, Set<String> calls) throws MalformedBodyException {
    String type = item.string("type");
    boolean reference = "item_reference".equals(type) || ResponsesItems.isBareReference(item);
    if (!item.isObject() || (!reference && type == null && item.string("role") == null)) {
      throw new MalformedBodyException("Each item of input must be an object with a type or role.");
    }
    if (reference) {
      leave("item_reference", item.text("id"), NOT_STORED);
    } else if (type == null || type.equals("message")) {
      readMessage(item);
    } else if (type.equals("compaction_trigger")) {
      leave(type, "", "have the client ask for a summary.");
    } else if (type.equals("compaction")) {
      dropped.add("input." + type);
      add("system", PartReader.read(COMPACTED));
    } else if (type.equals(ResponsesItems.UPDATE)) {
      List.of("reasoning", "text").forEach(set -> updates.putAll(item.at(set).members()));
      updates.values().removeIf(JsonValue::isNull);
    } else if (!SILENT.contains(type)) {
      String id = item.text("call_id");
      boolean answers = !id.isEmpty() && !calls.add(id);
      List<Part> parts = new ArrayList<>();
      for (Part part : PartReader.read(item)) {
        if (part instanceof Part.Other other && id.isEmpty() && other.text().isBlank()) {
          dropped.add("input." + type);
        } else {
          parts.add(named(part));
        }
      }
      add(ResponsesItems.role(item, answers), parts);
    }
  }

  private void leave(String type, String id, String why) {
    dropped.add("input." + type);
    dropped.refuse(type + id, type + " cannot be asked of this model: " + why);
  }

  private void readMessage(JsonValue item) throws MalformedBodyException {
    JsonValue content = item.get("content");
    if (content == null) {
      return;
    }
    if (!content.isString() && !content.isArray()) {
      throw new MalformedBodyException("content must be a string or an array.");
    }
    String said = item.text("role");
    boolean system = said.equals("system") || said.equals("developer");
    String speaker = system ? "system" : said.equals("assistant") ? said : "user";
    if (!speaker.equals("assistant")) {
      flush();
    }
    add(speaker, PartReader.read(item));
  }

  /** A part with the name that its tool has in other formats, and a result in few words. */
  private Part named(Part part) {
    if (part instanceof Part.ToolCall call) {
      String name = tools.nameOf(call.source().string("namespace"), call.name());
      return name.equals(call.name())
          ? call
          : new Part.ToolCall(call.source(), call.kind(), call.id(), name, call.arguments());
    }
    if (part instanceof Part.ToolResult result
        && result.source().text("type").equals("tool_search_output")) {
      String text = String.join(", ", ResponsesTools.names(result.source()));
      text = text.isEmpty() ? "No tool was found." : "These tools can be called now: " + text;
      return new Part.ToolResult(
          result.source(), result.kind(), result.id(), List.of(Part.Text.of(text)), result.error());
    }
    return part;
  }

  private void add(String speaker, List<Part> parts) {
    if (!speaker.equals(role)) {
      flush();
      role = speaker;
    }
    run.addAll(parts);
    if (!speaker.equals("assistant") && !speaker.equals("tool")) {
      flush();
    }
  }

  private void flush() {
    if (!Part.sayNothing(run)) {
      messages.add(Utterance.of(role, run));
    }
    run.clear();
  }

  /** The tools that may be called, and how free the model is in it. */
  private record Allowed(List<Tool> tools, @Nullable ToolChoice choice) {}

  private Allowed allowed() throws MalformedBodyException {
    JsonValue given = root.at("tools");
    if (!given.isNull() && !given.isArray()) {
      throw new MalformedBodyException("tools must be an array.");
    }
    for (JsonValue tool : given.items()) {
      if (tool.string("type") == null) {
        throw new MalformedBodyException("Each of tools must be an object with a type.");
      }
    }
    tools.lost().forEach(member -> dropped.add("tools." + member));
    JsonValue choice = root.get("tool_choice");
    if (choice == null) {
      return new Allowed(tools.all(), null);
    }
    String type = choice.isString() ? choice.text() : choice.text("type");
    if (choice.isObject() && type.equals("allowed_tools")) {
      dropped.add("tool_choice.allowed_tools");
      Set<String> names = new HashSet<>();
      for (JsonValue tool : choice.at("tools").items()) {
        names.add(nameOf(tool));
      }
      boolean must = choice.text("mode").equals("required");
      return new Allowed(
          tools.all().stream().filter(tool -> names.contains(tool.name())).toList(),
          must ? ToolChoice.of(ToolChoice.Mode.REQUIRED) : ToolChoice.AUTO);
    }
    return new Allowed(tools.all(), choice.isObject() ? named(choice, type) : mode(type));
  }

  private String nameOf(JsonValue tool) {
    String name = tool.string("name");
    return name == null ? tool.text("type") : tools.nameOf(tool.string("namespace"), name);
  }

  private ToolChoice named(JsonValue choice, String type) throws MalformedBodyException {
    String name = nameOf(choice);
    boolean function = type.equals("function") || type.equals("custom");
    boolean known =
        tools.all().stream()
            .anyMatch(tool -> tool.name().equals(name) && !(tool instanceof Tool.Hosted));
    if (!function && !known) {
      throw new MalformedBodyException(
          "tool_choice cannot be asked of this model: it demands a tool of the provider's own.");
    }
    return ToolChoice.named(name);
  }

  private static ToolChoice mode(String mode) throws MalformedBodyException {
    return switch (mode) {
      case "auto" -> ToolChoice.AUTO;
      case "none" -> ToolChoice.of(ToolChoice.Mode.NONE);
      case "required" -> ToolChoice.of(ToolChoice.Mode.REQUIRED);
      default -> throw new MalformedBodyException("tool_choice is none that is known.");
    };
  }

  private static @Nullable OutputFormat outputFormat(JsonValue format)
      throws MalformedBodyException {
    switch (format.text("type")) {
      case "text" -> {
        return null;
      }
      case "json_object" -> {
        return OutputFormat.JSON;
      }
      case "json_schema" -> {
        JsonValue schema = format.get("schema");
        if (schema == null || !schema.isObject()) {
          throw new MalformedBodyException("text.format.schema must be an object.");
        }
        return new OutputFormat(
            schema,
            format.string("name"),
            format.string("description"),
            ResponsesTools.flag(format, "strict"));
      }
      default -> throw new MalformedBodyException("text.format has a type that is not known.");
    }
  }

  /** What an item sets, else what the call's own member says; null for nothing. */
  private @Nullable JsonValue inForce(@Nullable JsonValue own, String name) {
    return updates.getOrDefault(name, own == null ? null : own.get(name));
  }

  private @Nullable Effort effort() throws MalformedBodyException {
    JsonValue said = inForce(object("reasoning"), "effort");
    String effort = said == null ? "" : said.text();
    Effort known = Effort.ofWireName(effort);
    if (known == null && !effort.isEmpty()) {
      dropped.add("reasoning.effort");
    }
    for (String other : new String[] {"context", "mode"}) {
      String value = root.at("reasoning").text(other);
      if (!value.isEmpty() && !value.equals("auto") && !value.equals("standard")) {
        dropped.add("reasoning." + other);
      }
    }
    return known;
  }

  private @Nullable Long maxOutput() throws MalformedBodyException {
    JsonValue value = root.get("max_output_tokens");
    if (value == null) {
      return null;
    }
    String digits = value.is(JsonValue.Kind.NUMBER) ? value.raw() : "";
    if (!Characters.areDigits(digits, 18)) {
      throw new MalformedBodyException("max_output_tokens must be a positive integer.");
    }
    return Math.max(1, Long.parseLong(digits));
  }

  private @Nullable JsonValue object(String name) throws MalformedBodyException {
    JsonValue value = root.get(name);
    if (value != null && !value.isObject()) {
      throw new MalformedBodyException(name + " must be an object.");
    }
    return value;
  }

  private @Nullable Boolean bool(String name) throws MalformedBodyException {
    JsonValue value = root.get(name);
    if (value != null && !value.is(JsonValue.Kind.BOOLEAN)) {
      throw new MalformedBodyException(name + " must be a boolean.");
    }
    return ResponsesTools.flag(root, name);
  }

  private static JsonValue text(JsonValue value, String name) throws MalformedBodyException {
    if (!value.isString()) {
      throw new MalformedBodyException(name + " must be a string.");
    }
    return value;
  }
}
