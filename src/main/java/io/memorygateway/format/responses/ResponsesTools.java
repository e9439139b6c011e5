package io.memorygateway.format.responses;

import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tools of one call: what other formats call each of them, and the form in which the caller
 * takes a call of it. Tools that the caller runs and a model knows by their type alone become
 * functions with the members of their calls. Those of a namespace have its name before their own;
 * those that a search of the caller found are tools like the others. Reading never fails.
 */
final class ResponsesTools {
  /** The most tools of a call, those of namespaces included. */
  private static final int MAX_TOOLS = 4096;

  /** The namespace in which a client may put all functions that are in none. */
  private static final String PLAIN_NAMESPACE = "functions";

  /** Members of functions and custom tools that other formats can say. */
  private static final Set<String> SAID =
      Set.of("type", "name", "description", "parameters", "strict", "format");

  private static final Set<String> SAY_NOTHING = Set.of("null", "false", "[\"direct\"]");

  private static final String STRINGS = "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}";
  private static final String TEXT = "{\"type\":\"string\"}";
  private static final String NUMBER = "{\"type\":\"integer\"}";

  /** A type of calls besides those of functions and custom tools. */
  private enum Form {
    LOCAL_SHELL(
        "lsh_",
        "action",
        "command",
        "\"type\":\"exec\",\"env\":{}",
        "Runs a command on the user's machine and returns what it prints.",
        schema("command", STRINGS, "working_directory", TEXT, "timeout_ms", NUMBER)),
    SHELL(
        "sh_",
        "action",
        "commands",
        "",
        "Runs shell commands on the user's machine and returns what they print.",
        schema("commands", STRINGS, "timeout_ms", NUMBER, "max_output_length", NUMBER)),
    APPLY_PATCH(
        "apc_",
        "operation",
        "path",
        "",
        "Changes one file: create_file and update_file need a diff in V4A form.",
        schema(
            "path",
            TEXT,
            "type",
            "{\"type\":\"string\",\"enum\":[\"create_file\",\"update_file\",\"delete_file\"]}",
            "diff",
            TEXT)),
    TOOL_SEARCH(
        "tsc_",
        "arguments",
        "",
        "",
        "Searches for tools and makes those that fit callable.",
        schema("query", TEXT, "limit", NUMBER));

    private final String prefix;
    private final String holder;
    private final String needed;
    private final String begin;
    private final String description;
    private final String schema;
    private final String added;

    /**
     * @param prefix of the ids of its items
     * @param holder the member with the arguments
     * @param needed the member without which the arguments are of no use
     * @param begin of the arguments in their item
     * @param schema of the arguments
     */
    Form(
        String prefix,
        String holder,
        String needed,
        String begin,
        String description,
        String schema) {
      this.prefix = prefix;
      this.holder = holder;
      this.needed = needed;
      this.begin = begin;
      this.description = description;
      this.schema = schema;
      this.added =
          new JsonObject()
              .string("type", "function")
              .string("name", "function")
              .string("description", description)
              .raw("parameters", schema)
              .toString();
    }

    /** Whether the caller can read a call with these arguments. */
    boolean takes(JsonValue arguments) {
      JsonValue value = arguments.get(needed);
      boolean fits = value != null && (this == APPLY_PATCH ? value.isString() : value.isArray());
      return arguments.isObject() && (fits || needed.isEmpty());
    }

    /** A schema of these members, of which the first one is required. */
    private static String schema(String... members) {
      JsonObject properties = new JsonObject();
      for (int i = 0; i < members.length; i += 2) {
        properties.raw(members[i], members[i + 1]);
      }
      return new JsonObject()
          .string("type", "object")
          .raw("properties", properties.toString())
          .raw("required", "[\"" + members[0] + "\"]")
          .toString();
    }
  }

  /** How the caller knows a tool. */
  private record Known(Tool tool, @Nullable Form form, @Nullable String namespace, String name) {
    /** What other formats are told of it that the caller has not said; null for nothing. */
    @Nullable String added() {
      return form != null ? form.added : tool instanceof Tool.Custom ? Tool.Custom.ADDED : null;
    }
  }

  private final Map<String, Known> tools = new LinkedHashMap<>();

  /** The names that other formats have for them, by their namespaces and names. */
  private final Map<List<String>, String> names = new HashMap<>();

  private final Set<String> lost = new HashSet<>();

  private ResponsesTools() {}

  /** See {@link Translator#addedTo}. */
  static Map<String, Long> addedTo(List<JsonValue> tools) {
    ResponsesTools all = new ResponsesTools();
    tools.forEach(tool -> all.add(tool, null, null));
    return all.tools.values().stream()
        .flatMap(known -> Stream.ofNullable(known.added()))
        .collect(Collectors.groupingBy(text -> text, Collectors.counting()));
  }

  ResponsesTools(JsonValue root) {
    addAll(root);
    for (JsonValue item : root.at("input").items()) {
      String type = item.text("type");
      if (type.equals("tool_search_output") || type.equals("additional_tools")) {
        addAll(item);
      }
    }
  }

  /** The name that other formats have for a tool. */
  String nameOf(@Nullable String namespace, String name) {
    String joined = joined(namespace, name);
    return names.getOrDefault(key(namespace, name), joined);
  }

  private static List<String> key(@Nullable String namespace, String name) {
    boolean plain = namespace == null || namespace.equals(PLAIN_NAMESPACE);
    return List.of(plain ? "" : namespace, name);
  }

  private static String joined(@Nullable String namespace, String name) {
    if (namespace == null || namespace.isEmpty() || namespace.equals(PLAIN_NAMESPACE)) {
      return name;
    }
    return namespace + (namespace.endsWith("__") ? "" : "__") + name;
  }

  private void addAll(JsonValue holder) {
    holder.at("tools").items().forEach(tool -> add(tool, null, null));
  }

  private void add(JsonValue tool, @Nullable String namespace, @Nullable String about) {
    String type = tool.text("type");
    String name = joined(namespace, tool.text("name"));
    String description = about == null ? tool.string("description") : about;
    if (type.equals("function") || type.equals("custom")) {
      tool.fields().stream()
          .filter(field -> !SAID.contains(field.name()))
          .filter(field -> !SAY_NOTHING.contains(field.value().raw()))
          .forEach(field -> lost.add(field.name()));
    }
    switch (type) {
      case "function" -> {
        JsonValue schema = tool.get("parameters");
        put(
            new Tool.Function(
                name,
                description,
                schema != null && schema.isObject() ? schema : null,
                flag(tool, "strict"),
                null),
            null,
            namespace,
            tool.text("name"));
      }
      case "custom" ->
          put(
              new Tool.Custom(name, description, tool.get("format")),
              null,
              namespace,
              tool.text("name"));
      case "namespace" -> addNamespace(tool);
      default -> addTyped(type, tool);
    }
  }

  /** A member that is true or false; null for anything else. */
  static @Nullable Boolean flag(JsonValue holder, String name) {
    JsonValue value = holder.get(name);
    return (value == null || !value.is(JsonValue.Kind.BOOLEAN))
        ? null
        : Boolean.valueOf(value.raw());
  }

  private void addNamespace(JsonValue namespace) {
    String about = namespace.text("description");
    for (JsonValue tool : namespace.at("tools").items()) {
      if (!tool.text("type").equals("namespace")) {
        // What the namespace is for is said once, with its first tool.
        String own = tool.text("description");
        add(tool, namespace.text("name"), about.isBlank() ? null : (about + "\n\n" + own).strip());
        about = "";
      }
    }
  }

  private void addTyped(String type, JsonValue tool) {
    JsonValue place = tool.get("environment");
    Form form =
        switch (type) {
          case "local_shell" -> Form.LOCAL_SHELL;
          case "shell" -> place == null || place.text("type").equals("local") ? Form.SHELL : null;
          case "apply_patch" -> Form.APPLY_PATCH;
          case "tool_search" -> tool.text("execution").equals("client") ? Form.TOOL_SEARCH : null;
          default -> null;
        };
    if (form == null) {
      int date = type.indexOf("_20");
      String name = date > 0 ? type.substring(0, date) : type;
      put(new Tool.Hosted(name, tool), null, null, name);
      return;
    }
    String description = tool.string("description");
    JsonValue schema = tool.get("parameters");
    put(
        new Tool.Function(
            type,
            description == null ? form.description : description,
            schema != null && schema.isObject() ? schema : JsonValue.of(form.schema),
            null,
            null),
        form,
        null,
        type);
  }

  private void put(Tool tool, @Nullable Form form, @Nullable String namespace, String name) {
    List<String> own = key(namespace, name);
    if (tool.name().isEmpty() || tools.size() >= MAX_TOOLS || names.containsKey(own)) {
      return;
    }
    String free = tool.name();
    for (int next = 2; tools.containsKey(free); next++) {
      free = tool.name() + "_" + next;
    }
    names.put(own, free);
    tools.put(free, new Known(tool.named(free), form, namespace, name));
  }

  /** The names of members of functions and custom tools that no other format has. */
  Set<String> lost() {
    return lost;
  }

  List<Tool> all() {
    return tools.values().stream().map(Known::tool).toList();
  }

  /** The names of the functions and custom tools that a list of found tools has. */
  static List<String> names(JsonValue found) {
    return new ResponsesTools(found).all().stream().map(Tool::name).toList();
  }

  /** Whether the arguments of a call may go out before they are whole. */
  boolean isFunction(String name) {
    Known known = tools.get(name);
    return known == null || (known.form == null && !(known.tool instanceof Tool.Custom));
  }

  /**
   * A call as an item that the caller takes.
   *
   * @param id of the item, without its prefix
   * @param name by which other formats call the tool
   * @param arguments as far as they came
   */
  String item(String id, String status, String callId, String name, String arguments) {
    Known known = tools.get(name);
    Form form = known == null ? null : known.form;
    JsonObject item = new JsonObject(arguments.length() + 200);
    JsonValue value = form == null ? JsonValue.of("\"\"") : JsonValue.of(arguments);
    if (form != null && form.takes(value)) {
      String type = form.name().toLowerCase(Locale.ROOT) + "_call";
      String own = value.rawMembers(member -> !form.begin.contains("\"" + member + "\""));
      String comma = form.begin.isEmpty() || own.isEmpty() ? "" : ",";
      item.string("id", form.prefix + id)
          .string("type", type)
          .string("status", status)
          .string("call_id", callId)
          .raw(form.holder, "{" + form.begin + comma + JsonWriter.inOneLine(own) + "}");
      if (form == Form.TOOL_SEARCH) {
        item.string("execution", "client");
      }
    } else if (known != null && known.tool instanceof Tool.Custom) {
      item.string("id", "ctc_" + id)
          .string("type", "custom_tool_call")
          .string("status", status)
          .string("call_id", callId)
          .string("input", Tool.Custom.input(arguments))
          .string("name", known.name)
          .string("namespace", known.namespace);
    } else {
      item.string("id", "fc_" + id)
          .string("type", "function_call")
          .string("status", status)
          .string("call_id", callId)
          .string("name", known == null ? name : known.name)
          .string("namespace", known == null ? null : known.namespace)
          .string("arguments", arguments);
    }
    return item.toString();
  }
}
