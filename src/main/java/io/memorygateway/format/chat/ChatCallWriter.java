package io.memorygateway.format.chat;

import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.MessageWriters;
import io.memorygateway.format.call.Prefill;
import io.memorygateway.format.content.CachedPrefix;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.translation.ArgumentsSchema;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Effort;
import io.memorygateway.format.translation.Member;
import io.memorygateway.format.translation.OutputFormat;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.ToolChoice;
import io.memorygateway.format.translation.ToolChoice.Mode;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.format.translation.Translator.Topic;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes a call of another format as one of Chat Completions. */
final class ChatCallWriter implements ChatWriter.Foreign {
  private static final int EXPECTED = 4096;

  /** Members that OpenAI's API has, and that some other servers refuse. */
  private static final Set<String> OF_OPENAI =
      Set.of(
          "metadata",
          "prompt_cache_key",
          "prompt_cache_options",
          "prompt_cache_retention",
          "moderation",
          "safety_identifier",
          "store",
          "verbosity");

  /** The name of a schema whose caller gives none. */
  private static final String SCHEMA = "answer";

  private final Request request;
  private final Terms terms;
  private final Translator called;
  private final Dropped dropped;
  private final boolean takesMarks;

  ChatCallWriter(Request request, Terms terms, Translator called, Dropped dropped) {
    this.request = request;
    this.terms = terms;
    this.called = called;
    this.dropped = dropped;
    this.takesMarks = terms.takesBreakpoints();
  }

  byte[] write() throws MalformedBodyException {
    JsonWriter out =
        new JsonWriter(EXPECTED)
            .ascii("{\"model\":")
            .string(terms.model().name())
            .ascii(",\"messages\":[");
    int begin = out.length();
    new ChatWriter(out, terms.model(), this).write(placed());
    if (out.length() == begin) {
      MessageWriters.addMessage(out, "user", MessageWriters.CONTINUED);
    }
    JsonObject rest = new JsonObject(EXPECTED);
    boolean marked = writeTools(rest);
    writeOutput(rest);
    writeEffort(rest);
    if (request.maxOutput() != null) {
      rest.number(terms.maxTokensMember(), request.maxOutput());
    }
    if (!request.stop().isEmpty()) {
      rest.raw("stop", strings(request.stop()));
    }
    writeUser(rest);
    Member.write(shared(), ChatMembers.ALL, rest, dropped);
    Request.Shared likely = request.shared().get("top_logprobs");
    if (likely != null && !likely.silent() && !request.shared().containsKey("logprobs")) {
      rest.bool("logprobs", true);
    }
    marked |= request.messages().stream().anyMatch(message -> isMarked(message.parts()));
    writeCacheKey(rest, marked);
    List<Utterance> messages = request.messages();
    if (terms.model().prefill() == Prefill.CONTINUE
        && !messages.isEmpty()
        && StrictRoles.isSaid(messages.get(messages.size() - 1))) {
      // Else the prompt would end with the beginning of another answer.
      rest.bool("continue_final_message", true).bool("add_generation_prompt", false);
    }
    if (request.stream()) {
      rest.bool("stream", true);
      if (terms.model().traits().streamOptions()) {
        rest.raw("stream_options", "{\"include_usage\":true}");
      }
    }
    String members = rest.toString();
    return out.ascii("]")
        .ascii(members.equals("{}") ? "" : ",")
        .raw(members.substring(1))
        .toBytes();
  }

  /** Writes the name of the user, which servers refuse that do not take what OpenAI alone has. */
  private void writeUser(JsonObject out) {
    String user = request.namedUser();
    if (user != null && terms.cacheKey() == null) {
      dropped.add(member(Topic.USER));
    } else {
      out.string("user", user);
    }
  }

  /** What is carried as it is, without what the target would refuse. */
  private Map<String, Request.Shared> shared() {
    Map<String, Request.Shared> shared = new LinkedHashMap<>(request.shared());
    if (terms.cacheKey() == null) {
      OF_OPENAI.forEach(name -> leave(name, shared));
    }
    Request.Shared store = shared.get("store");
    if (store == null || !store.value().raw().equals("true")) {
      // OpenAI takes it of calls that it stores.
      leave("metadata", shared);
    }
    return shared;
  }

  private void leave(String name, Map<String, Request.Shared> shared) {
    Request.Shared member = shared.remove(name);
    if (member != null && !member.silent()) {
      dropped.add(member.name());
    }
  }

  private static String strings(List<String> texts) {
    return texts.stream().map(JsonWriter::quote).collect(Collectors.joining(",", "[", "]"));
  }

  /** The messages with the leading ones of the system as one, in roles that the target takes. */
  private List<Utterance> placed() {
    List<Utterance> messages = request.messages();
    List<Part> system = new ArrayList<>();
    int at = 0;
    while (at < messages.size() && messages.get(at).ofSystem()) {
      system.addAll(messages.get(at++).parts());
    }
    List<Utterance> rest = messages.subList(at, messages.size());
    List<Utterance> placed = new ArrayList<>(messages.size());
    if (at > 0) {
      placed.add(at == 1 ? messages.get(0) : Utterance.of("system", system));
    }
    placed.addAll(terms.model().traits().strictRoles() ? StrictRoles.ofUser(rest) : rest);
    String begun = terms.model().prefill().member();
    if (begun != null && !placed.isEmpty()) {
      placed.add(StrictRoles.begun(placed.remove(placed.size() - 1), begun));
    }
    return placed;
  }

  /** Whether a part is marked as the end of a cached prefix. */
  private static boolean isMarked(List<Part> parts) {
    return parts.stream()
        .anyMatch(
            part ->
                (!(part instanceof Part.Reasoning) && CachedPrefix.isMarked(part.source()))
                    || (part instanceof Part.ToolResult result && isMarked(result.content())));
  }

  private String member(Topic topic) {
    String name = called.nameOf(topic);
    return name.isEmpty() ? topic.name().toLowerCase(Locale.ROOT) : name;
  }

  @Override
  public void leave(Part part) {
    String type = part.source().text("type");
    String list = called.inputMember();
    if (!part.source().isObject() || !type.isEmpty()) {
      dropped.add(type.isEmpty() ? list : list + "." + type);
    }
  }

  @Override
  public boolean marks() {
    return takesMarks;
  }

  /** Writes the tools and how they may be called; returns whether one has a mark of the cache. */
  private boolean writeTools(JsonObject out) throws MalformedBodyException {
    List<String> tools = new ArrayList<>();
    boolean marked = false;
    ToolChoice choice = request.choice();
    for (Tool tool : request.tools()) {
      if (tool instanceof Tool.Function function) {
        tools.add(
            function(
                new JsonObject()
                    .string("name", function.name())
                    .string("description", function.description())
                    .raw("parameters", ArgumentsSchema.of(function.schema()))
                    .raw("strict", strict(function))));
        marked |= function.cacheMark() != null;
      } else if (tool instanceof Tool.Custom custom) {
        tools.add(
            function(
                new JsonObject()
                    .string("name", custom.name())
                    .string("description", description(custom))
                    .raw("parameters", Tool.Custom.SCHEMA)));
      } else if (choice != null && tool.name().equals(choice.name())) {
        throw refusedChoice(tool.name());
      } else {
        dropped.add("tools." + tool.name());
      }
    }
    boolean demands = choice != null && choice.mode() == Mode.REQUIRED;
    if (tools.isEmpty() && demands && !request.tools().isEmpty()) {
      throw refusedChoice(request.tools().get(0).name());
    }
    if (!tools.isEmpty()) {
      out.raw("tools", "[" + String.join(",", tools) + "]");
      if (choice != null) {
        out.raw("tool_choice", choice(choice));
      }
      if (request.parallelCalls() != null) {
        out.bool("parallel_tool_calls", request.parallelCalls());
      }
    }
    return marked;
  }

  private MalformedBodyException refusedChoice(String tool) {
    return new MalformedBodyException(
        member(Topic.TOOL_CHOICE)
            + " demands "
            + tool
            + ", which this model's provider does not have.");
  }

  private static String function(JsonObject function) {
    return "{\"type\":\"function\",\"function\":" + function + "}";
  }

  /** Whether arguments are to follow the schema; never where OpenAI would refuse that. */
  private @Nullable String strict(Tool.Function function) {
    Boolean strict = function.strict();
    if (Boolean.TRUE.equals(strict) && !ArgumentsSchema.isStrict(function.schema())) {
      dropped.add("tools.strict");
      return null;
    }
    return strict == null ? null : strict.toString();
  }

  /** The description of a tool of one text, with the grammar of the text. */
  private static @Nullable String description(Tool.Custom custom) {
    JsonValue format = custom.format();
    JsonValue grammar = format == null ? null : format.get("grammar");
    JsonValue said = grammar == null ? format : grammar;
    String definition = said == null ? "" : said.text("definition");
    if (said == null || definition.isEmpty()) {
      return custom.description();
    }
    String before = custom.description() == null ? "" : custom.description() + "\n\n";
    return before
        + "The input must match this grammar ("
        + said.text("syntax")
        + "):\n"
        + definition;
  }

  private static String choice(ToolChoice choice) {
    return choice.name() == null
        ? JsonWriter.quote(choice.mode().name().toLowerCase(Locale.ROOT))
        : function(new JsonObject().string("name", choice.name()));
  }

  private void writeOutput(JsonObject out) {
    OutputFormat format = request.output();
    if (format == null) {
      return;
    }
    JsonValue schema = format.schema();
    String name = format.name();
    out.raw(
        "response_format",
        schema == null
            ? "{\"type\":\"json_object\"}"
            : "{\"type\":\"json_schema\",\"json_schema\":"
                + new JsonObject()
                    .string("name", name == null || name.isBlank() ? SCHEMA : name)
                    .string("description", format.description())
                    .raw("schema", schema)
                    .raw("strict", format.strict() == null ? null : format.strict() + "")
                + "}");
  }

  private void writeEffort(JsonObject out) {
    Effort effort = request.effort();
    Long budget = request.reasoningBudget();
    if (effort == null && budget != null) {
      effort = Effort.ofBudget(budget);
    }
    if (effort != null) {
      out.string("reasoning_effort", effort.wireName());
    }
  }

  /** The key of the cached prefix, which stands for the marks that the target does not take. */
  private void writeCacheKey(JsonObject out, boolean marked) {
    boolean given = request.shared().containsKey("prompt_cache_key");
    if (!given) {
      out.string("prompt_cache_key", terms.cacheKey());
    }
    if (marked && !takesMarks && !given && terms.cacheKey() == null) {
      dropped.add(member(Topic.CACHE_MARKS));
    }
  }
}
