package io.memorygateway.format.responses;

import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.MessageWriters;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.translation.ArgumentsSchema;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Effort;
import io.memorygateway.format.translation.Member;
import io.memorygateway.format.translation.OutputFormat;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.StrictSchema;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.ToolChoice;
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
import java.util.StringJoiner;

/**
 * Writes one call for a Responses target. The upstream is not to store it, unless the caller says
 * so: reasoning is asked for encrypted.
 */
final class ResponsesCallWriter {
  /** Fewer tokens of output are refused. */
  private static final long LEAST_OUTPUT = 16;

  private final Request request;
  private final Terms terms;
  private final Translator called;
  private final Dropped dropped;
  private final boolean takesMarks;

  ResponsesCallWriter(Request request, Terms terms, Translator called, Dropped dropped) {
    this.request = request;
    this.terms = terms;
    this.called = called;
    this.dropped = dropped;
    this.takesMarks = terms.takesBreakpoints();
  }

  byte[] write(List<Member> members) throws MalformedBodyException {
    if (!request.stop().isEmpty()) {
      throw refused(Topic.STOP, "it would go on behind it");
    }
    Map<String, Request.Shared> rest = new LinkedHashMap<>(request.shared());
    Request.Shared verbosity = rest.remove("verbosity");
    Request.Shared logprobs = rest.remove("logprobs");
    JsonObject out = new JsonObject(4096).string("model", terms.model().name());
    writeMessages(out);
    boolean tools = writeTools(out);
    if (tools && request.parallelCalls() != null) {
      out.bool("parallel_tool_calls", request.parallelCalls());
    }
    JsonObject text = new JsonObject();
    boolean says = verbosity != null || request.output() != null;
    if (request.output() != null) {
      text.raw("format", format(request.output()));
    }
    if (says) {
      out.raw(
          "text", text.raw("verbosity", verbosity == null ? null : verbosity.value()).toString());
    }
    StringJoiner include = new StringJoiner(",", "[", "]").setEmptyValue("");
    if (writeReasoning(out)) {
      include.add("\"reasoning.encrypted_content\"");
    }
    if (logprobs != null && !logprobs.silent()) {
      include.add("\"" + ResponsesCallReader.LOGPROBS + "\"");
    }
    if (include.length() > 0) {
      out.raw("include", include.toString());
    }
    if (request.maxOutput() != null) {
      out.number("max_output_tokens", Math.max(LEAST_OUTPUT, request.maxOutput()));
    }
    out.string("user", request.namedUser());
    if (!rest.containsKey("store")) {
      out.bool("store", false);
    }
    if (!rest.containsKey("prompt_cache_key")) {
      out.string("prompt_cache_key", terms.cacheKey());
    }
    if (request.stream()) {
      out.bool("stream", true);
    }
    Member.write(rest, members, out, dropped);
    return out.toBytes();
  }

  private MalformedBodyException refused(Topic topic, String why) {
    return new MalformedBodyException(
        called.nameOf(topic) + " cannot be asked of this model: " + why + ".");
  }

  /** Writes the leading words of the system as the instructions, if they are nothing but text. */
  private void writeMessages(JsonObject out) {
    List<Utterance> messages = request.messages();
    int leading = 0;
    List<String> instructions = new ArrayList<>();
    while (leading < messages.size() && messages.get(leading).ofSystem()) {
      for (Part part : messages.get(leading).parts()) {
        boolean marked = takesMarks && ResponsesWriter.mark(part) != null;
        instructions.add(part instanceof Part.Text text && !marked ? text.text() : "");
      }
      leading++;
    }
    if (!instructions.isEmpty() && instructions.stream().noneMatch(String::isBlank)) {
      out.string("instructions", String.join("\n\n", instructions));
      messages = messages.subList(leading, messages.size());
    }
    request.messages().forEach(message -> message.parts().forEach(this::nameUnsaid));
    JsonWriter items = new JsonWriter(4096).ascii("[");
    ResponsesWriter writer = new ResponsesWriter(items, false, false, false);
    (takesMarks ? writer.withMarks() : writer).write(messages);
    if (items.length() == 1) {
      MessageWriters.addMessage(items, "user", MessageWriters.CONTINUED);
    }
    out.raw("input", items.ascii("]"));
  }

  /**
   * Names a mark of a cached prefix that is left out, unless the key of the cache stands for it.
   */
  private void leaveMark() {
    if (terms.cacheKey() == null) {
      dropped.add(called.nameOf(Topic.CACHE_MARKS));
    }
  }

  private void nameUnsaid(Part part) {
    if (!takesMarks && ResponsesWriter.mark(part) != null) {
      leaveMark();
    }
    if (part instanceof Part.ToolResult result) {
      result.content().forEach(this::nameUnsaid);
    } else if (part instanceof Part.Other other
        && other.source().isObject()
        && other.text().isBlank()) {
      dropped.add("messages." + other.source().text("type"));
    }
  }

  private boolean writeTools(JsonObject out) throws MalformedBodyException {
    JsonWriter tools = new JsonWriter(1024).ascii("[");
    ToolChoice choice = request.choice();
    boolean demanded = false;
    for (Tool tool : request.tools()) {
      if (tool instanceof Tool.Hosted hosted) {
        dropped.add("tools." + hosted.name());
        demanded |= choice != null && hosted.name().equals(choice.name());
      } else {
        tools.element().raw(tool(tool));
      }
    }
    boolean any = tools.length() > 1;
    if (any) {
      out.raw("tools", tools.ascii("]"));
    }
    boolean must = choice != null && choice.mode().compareTo(ToolChoice.Mode.REQUIRED) >= 0;
    if (demanded || (must && !any && !request.tools().isEmpty())) {
      throw refused(Topic.TOOL_CHOICE, "it demands a tool of the provider's own");
    }
    if (any && choice != null) {
      out.raw("tool_choice", choice(choice));
    }
    return any;
  }

  private String choice(ToolChoice choice) {
    String name = choice.name();
    if (name == null) {
      return JsonWriter.quote(choice.mode().name().toLowerCase(Locale.ROOT));
    }
    boolean custom =
        request.tools().stream()
            .anyMatch(tool -> tool instanceof Tool.Custom && tool.name().equals(name));
    return new JsonObject()
        .string("type", custom ? "custom" : "function")
        .string("name", name)
        .toString();
  }

  private String tool(Tool tool) {
    if (tool instanceof Tool.Custom custom) {
      return new JsonObject()
          .string("type", "custom")
          .string("name", custom.name())
          .string("description", custom.description())
          .raw("format", custom.format() == null ? null : format(custom.format()))
          .toString();
    }
    Tool.Function function = (Tool.Function) tool;
    if (function.cacheMark() != null) {
      leaveMark();
    }
    String parameters = ArgumentsSchema.of(function.schema());
    boolean strict = Boolean.TRUE.equals(function.strict());
    boolean closed = strict && ArgumentsSchema.isStrict(function.schema());
    if (strict && !closed) {
      dropped.add("tools.strict");
    }
    return new JsonObject()
        .string("type", "function")
        .string("name", function.name())
        .string("description", function.description())
        .raw("parameters", parameters)
        .bool("strict", closed)
        .toString();
  }

  /** The format of a custom tool, which has no object of its own for a grammar here. */
  private static String format(JsonValue format) {
    JsonValue grammar = format.get("grammar");
    if (grammar == null) {
      return format.raw();
    }
    String members = grammar.rawMembers(name -> !name.equals("type"));
    return "{\"type\":\"grammar\"" + (members.isEmpty() ? "" : ",") + members + "}";
  }

  private String format(OutputFormat format) {
    if (format.schema() == null) {
      return "{\"type\":\"json_object\"}";
    }
    JsonObject json =
        new JsonObject()
            .string("type", "json_schema")
            .string("name", format.name() == null ? "answer" : format.name())
            .string("description", format.description())
            .raw("schema", format.schema());
    Boolean strict = format.strict();
    if (strict != null) {
      boolean takes = StrictSchema.isClosed(format.schema());
      json.bool("strict", strict && takes);
      if (strict && !takes) {
        dropped.add(called.nameOf(Topic.OUTPUT_FORMAT) + ".strict");
      }
    }
    return json.toString();
  }

  /** Writes how much the model is to reason; returns whether it is to. */
  private boolean writeReasoning(JsonObject out) {
    Long budget = request.reasoningBudget();
    Effort asked = request.effort();
    Effort effort = asked != null || budget == null ? asked : Effort.ofBudget(budget);
    if (effort == null) {
      return false;
    }
    boolean reasons = effort != Effort.NONE;
    JsonObject reasoning = new JsonObject().string("effort", effort.wireName());
    out.raw("reasoning", reasoning.string("summary", reasons ? "auto" : null).toString());
    return reasons;
  }
}
