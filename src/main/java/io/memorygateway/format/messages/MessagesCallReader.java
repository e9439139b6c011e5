package io.memorygateway.format.messages;

import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.content.CachedPrefix;
import io.memorygateway.format.content.Documents;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.PartReader;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Effort;
import io.memorygateway.format.translation.Member;
import io.memorygateway.format.translation.OutputFormat;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.StrictSchema;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.ToolChoice;
import io.memorygateway.json.Characters;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads one Messages call in no format's words. */
record MessagesCallReader(JsonValue root, Dropped dropped) {
  private static final Set<String> OF_FUNCTIONS =
      Set.of("type", "name", "description", "input_schema", "cache_control", "strict");

  /**
   * How the line begins in which Claude Code tells Anthropic whom a call is of: it says nothing to
   * a model, and as it is another one in each call, no cache would know the prompt again.
   */
  private static final String BILLING = "x-anthropic-billing-header:";

  /** Characters of an underscore and a date. */
  private static final int DATE = 9;

  /** Members of tools with values that say nothing. */
  private static final Set<String> SAY_NOTHING =
      Set.of(
          "eager_input_streaming:true",
          "eager_input_streaming:false",
          "defer_loading:false",
          "allowed_callers:[\"direct\"]",
          "input_examples:[]");

  Request read(List<Member> members) throws MalformedBodyException {
    if (!root.isObject()) {
      throw new MalformedBodyException("The body must be an object.");
    }
    Map<String, Request.Shared> shared = Member.read(root, members, dropped);
    JsonValue thinking = object(root, "thinking", "thinking");
    JsonValue choice = object(root, "tool_choice", "tool_choice");
    JsonValue config = object(root, "output_config", "output_config");
    Long budget = null;
    Effort effort = effort(config);
    if (thinking != null) {
      switch (thinking.text("type")) {
        case "disabled" -> effort = Effort.NONE;
        case "enabled" -> {
          budget = number(thinking, "budget_tokens", "thinking.budget_tokens");
          effort = effort != null || budget == null ? effort : Effort.ofBudget(budget);
        }
        case "adaptive", "between_tools" -> effort = effort == null ? Effort.MEDIUM : effort;
        default -> dropped.add("thinking");
      }
    }
    List<Tool> tools = tools();
    return new Request(
        messages(),
        tools,
        choice == null ? null : choice(choice, tools),
        choice == null ? null : parallel(choice),
        output(config),
        effort,
        budget,
        maxTokens(),
        stop(),
        endUser(shared),
        isTrue(root, "stream", "stream"),
        shared);
  }

  private List<Utterance> messages() throws MalformedBodyException {
    List<Utterance> all = new ArrayList<>();
    JsonValue system = root.get("system");
    if (system != null) {
      for (Part part : parts(system, "system")) {
        List<Part> told = withoutBilling(part);
        if (!told.isEmpty()) {
          all.add(Utterance.of("system", told));
        }
      }
    }
    JsonValue messages = root.at("messages");
    if (!messages.isArray()) {
      throw new MalformedBodyException("messages must be an array.");
    }
    for (JsonValue message : new SystemTurns(messages.items()).shown()) {
      String role = message.text("role");
      if (!Set.of("user", "assistant", "system").contains(role)) {
        throw new MalformedBodyException(
            "Each of messages must be an object with the role user, assistant or system.");
      }
      JsonValue content = message.get("content");
      if (content == null && message.get("output_config") != null) {
        continue; // It sets the effort, and says nothing.
      }
      List<Part> parts = parts(content, "messages.content");
      if (!parts.isEmpty()) {
        all.add(Utterance.of(role, parts));
      }
    }
    return all;
  }

  private static List<Part> withoutBilling(Part part) {
    String text = part instanceof Part.Text said ? said.text() : "";
    if (!text.startsWith(BILLING)) {
      return List.of(part);
    }
    int end = text.indexOf('\n');
    JsonValue rest = JsonValue.of(JsonWriter.quote(end < 0 ? "" : text.substring(end + 1)));
    return JsonValue.isEmpty(rest)
        ? List.of()
        : PartReader.read(CachedPrefix.marked(rest, part.source().get("cache_control")));
  }

  private List<Part> parts(@Nullable JsonValue content, String member)
      throws MalformedBodyException {
    if (content == null || !(content.isString() || content.isArray())) {
      throw new MalformedBodyException(member + " must be a string or an array of blocks.");
    }
    return told(PartReader.read(content));
  }

  /** The parts without those that no other format can say, which are named. */
  private List<Part> told(List<Part> parts) {
    List<Part> told = new ArrayList<>(parts.size());
    for (Part part : parts) {
      if (part instanceof Part.ToolResult result) {
        told.add(result.withContent(told(result.content())));
      } else if (part instanceof Part.Other other) {
        addOther(other, told);
      } else if (part instanceof Part.File file) {
        nameCitations(file.source());
        for (Part each : Documents.told(file)) {
          told.addAll(each instanceof Part.File ? List.of(each) : told(List.of(each)));
        }
      } else {
        nameRefusal(part.source());
        told.add(part);
      }
    }
    return told;
  }

  /** Adds the text of a block that no other format has, or names it. */
  private void addOther(Part.Other other, List<Part> told) {
    JsonValue block = other.source();
    String found = block.text("type").equals("tool_reference") ? block.text("tool_name") : "";
    if (!found.isEmpty()) {
      // The target knows all tools from the beginning.
      told.add(Part.Text.of("This tool can be called now: " + found));
    } else if (!other.text().isBlank()) {
      nameCitations(block);
      told.add(new Part.Text(block, other.shape(), other.text()));
    } else if (block.isObject() && !MessagesToolChanges.is(block)) {
      dropped.add("messages." + block.text("type"));
    }
  }

  private void nameCitations(JsonValue block) {
    if (block.at("citations").at("enabled").raw().equals("true")) {
      dropped.add("messages.citations");
    }
  }

  /** Names that an image which is too large is to be refused: others make it smaller. */
  private void nameRefusal(JsonValue block) {
    if (block.at("transformations").text("oversized_image").equals("error")) {
      dropped.add("messages.transformations");
    }
  }

  private List<Tool> tools() throws MalformedBodyException {
    List<Tool> tools = new ArrayList<>();
    JsonValue given = root.at("tools");
    if (!given.isNull() && !given.isArray()) {
      throw new MalformedBodyException("tools must be an array.");
    }
    for (JsonValue tool : MessagesToolChanges.of(given.items(), root.at("messages"))) {
      String type = undated(tool.text("type"));
      String name = tool.text("name");
      Boolean strict = tool.get("strict") == null ? null : isTrue(tool, "strict", "tools.strict");
      boolean typed = !type.isEmpty() && !type.equals("custom");
      Tool.Function run = typed ? MessagesClientTools.of(type, tool, strict) : null;
      if (typed && run == null) {
        tools.add(new Tool.Hosted(type, tool));
        continue;
      }
      if (name.isEmpty()) {
        throw new MalformedBodyException("Each of tools must be an object with a name.");
      }
      if (run == null) {
        JsonValue schema = object(tool, "input_schema", "tools.input_schema");
        String about = tool.string("description");
        run = new Tool.Function(name, about, schema, strict, tool.get("cache_control"));
      }
      tools.add(run);
      for (JsonValue.Field field : tool.fields()) {
        String said = field.name() + ":" + field.value().raw();
        boolean own = typed && MessagesClientTools.MEMBERS.contains(field.name());
        if (!own
            && !OF_FUNCTIONS.contains(field.name())
            && !field.value().isNull()
            && !SAY_NOTHING.contains(said)) {
          dropped.add("tools." + field.name());
        }
      }
    }
    return tools;
  }

  /** A type without the date of its version. */
  static String undated(String type) {
    int at = type.lastIndexOf('_');
    boolean dated =
        type.length() - at == DATE && Characters.areDigits(type.substring(at + 1), DATE);
    return at > 0 && dated ? type.substring(0, at) : type;
  }

  private static ToolChoice choice(JsonValue choice, List<Tool> tools)
      throws MalformedBodyException {
    String name = choice.text("name");
    boolean hosted =
        tools.stream()
            .anyMatch(
                tool ->
                    tool instanceof Tool.Hosted known && known.source().text("name").equals(name));
    if (hosted && choice.text("type").equals("tool")) {
      throw new MalformedBodyException(
          "tool_choice cannot be asked of this model: it demands a tool that the model's provider"
              + " does not have.");
    }
    return switch (choice.text("type")) {
      case "auto" -> ToolChoice.AUTO;
      case "none" -> ToolChoice.of(ToolChoice.Mode.NONE);
      case "any" -> ToolChoice.of(ToolChoice.Mode.REQUIRED);
      case "tool" -> ToolChoice.named(name);
      default ->
          throw new MalformedBodyException("tool_choice.type must be auto, any, tool or none.");
    };
  }

  private static @Nullable Boolean parallel(JsonValue choice) throws MalformedBodyException {
    String member = "disable_parallel_tool_use";
    return choice.get(member) == null ? null : !isTrue(choice, member, "tool_choice." + member);
  }

  private @Nullable OutputFormat output(@Nullable JsonValue config) throws MalformedBodyException {
    String member = "output_config.format";
    JsonValue format = config == null ? null : object(config, "format", member);
    if (format == null) {
      member = "output_format";
      format = object(root, member, member);
    }
    if (format == null) {
      return null;
    }
    JsonValue schema = object(format, "schema", member + ".schema");
    if (schema == null) {
      throw new MalformedBodyException(member + " must be a JSON schema.");
    }
    // Here it is always enforced.
    return new OutputFormat(schema, null, null, StrictSchema.isTaken(schema) ? true : null);
  }

  private @Nullable Effort effort(@Nullable JsonValue config) {
    for (JsonValue.Field field : config == null ? List.<JsonValue.Field>of() : config.fields()) {
      if (!Set.of("effort", "format").contains(field.name()) && !field.value().isNull()) {
        dropped.add("output_config." + field.name());
      }
    }
    JsonValue said =
        new SystemTurns(root.at("messages").items())
            .effort(config == null ? null : config.get("effort"));
    Effort effort = said == null ? null : Effort.ofWireName(said.text());
    if (effort == null && said != null) {
      dropped.add("output_config.effort");
    }
    return effort;
  }

  private @Nullable Long maxTokens() throws MalformedBodyException {
    Long tokens = number(root, "max_tokens", "max_tokens");
    if (tokens != null && tokens == 0) {
      throw new MalformedBodyException(
          "max_tokens cannot be 0 with this model: its provider cannot only fill its cache.");
    }
    return tokens;
  }

  private List<String> stop() throws MalformedBodyException {
    JsonValue given = root.at("stop_sequences");
    if (!(given.isNull() || given.isArray())
        || !given.items().stream().allMatch(JsonValue::isString)) {
      throw new MalformedBodyException("stop_sequences must be an array of strings.");
    }
    return given.items().stream().map(JsonValue::text).filter(text -> !text.isEmpty()).toList();
  }

  /** The name of the user; what else {@code metadata} has is shared. */
  private @Nullable String endUser(Map<String, Request.Shared> shared)
      throws MalformedBodyException {
    JsonValue metadata = object(root, "metadata", "metadata");
    if (metadata == null) {
      return null;
    }
    String others = metadata.rawMembers(name -> !name.equals("user_id"));
    if (!others.isEmpty()) {
      shared.put("metadata", new Request.Shared("metadata", JsonValue.of("{" + others + "}")));
    }
    return metadata.string("user_id");
  }

  /** A member that is an object; null if it is missing or null. */
  private static @Nullable JsonValue object(JsonValue parent, String name, String path)
      throws MalformedBodyException {
    JsonValue value = parent.get(name);
    if (value != null && !value.isObject()) {
      throw new MalformedBodyException(path + " must be an object.");
    }
    return value;
  }

  private static @Nullable Long number(JsonValue parent, String name, String path)
      throws MalformedBodyException {
    JsonValue value = parent.get(name);
    if (value != null
        && !(value.is(JsonValue.Kind.NUMBER) && Characters.areDigits(value.raw(), 18))) {
      throw new MalformedBodyException(path + " must be a whole number.");
    }
    return value == null ? null : Long.valueOf(value.raw());
  }

  private static boolean isTrue(JsonValue parent, String name, String path)
      throws MalformedBodyException {
    JsonValue value = parent.get(name);
    if (value != null && !value.is(JsonValue.Kind.BOOLEAN)) {
      throw new MalformedBodyException(path + " must be true or false.");
    }
    return value != null && value.raw().equals("true");
  }
}
