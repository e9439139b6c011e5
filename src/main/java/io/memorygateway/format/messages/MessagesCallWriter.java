package io.memorygateway.format.messages;

import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.MessageWriters;
import io.memorygateway.format.content.CachedPrefix;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Effort;
import io.memorygateway.format.translation.Member;
import io.memorygateway.format.translation.OutputFormat;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.ToolChoice;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.format.translation.Translator.Topic;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.json.Sha256;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/**
 * Writes one call of another format as a Messages call. What Anthropic refuses is mended where that
 * changes nothing, and named where it does.
 */
final class MessagesCallWriter {
  /** The least budget of thinking, and what is left for the answer beside the largest one. */
  private static final long MIN_BUDGET = 1024;

  /** Characters that a user's name may have. */
  private static final int MAX_USER = 256;

  private final Request request;
  private final Terms terms;
  private final Translator called;
  private final Dropped dropped;
  private final CacheMarks marks;
  private final Map<String, Request.Shared> shared;
  private final long maxTokens;

  /** Whether the model must call a tool, which it cannot after thinking. */
  private final boolean forced;

  MessagesCallWriter(Request request, Terms terms, Translator called, Dropped dropped) {
    this.request = request;
    this.terms = terms;
    this.called = called;
    this.dropped = dropped;
    this.marks = new CacheMarks(request);
    this.shared = new LinkedHashMap<>(request.shared());
    this.maxTokens = terms.output(request.maxOutput());
    ToolChoice choice = request.choice();
    this.forced =
        choice != null
            && (choice.mode() == ToolChoice.Mode.REQUIRED
                || choice.mode() == ToolChoice.Mode.NAMED);
  }

  byte[] write(List<Member> members) throws MalformedBodyException {
    Request.Shared n = shared.remove("n");
    if (n != null && !n.value().raw().equals("1")) {
      throw refused(n.name());
    }
    request.messages().forEach(message -> nameUnsaid(message.parts()));
    JsonObject body =
        new JsonObject(4096).string("model", terms.model().name()).number("max_tokens", maxTokens);
    MessagesCallTools tools = new MessagesCallTools(request, called, dropped, marks);
    tools.write(body);
    writeMessages(body);
    writeReasoning(body);
    writeUser(body);
    writeShared(members, body);
    writeStop(body);
    if (request.stream()) {
      body.bool("stream", true);
    }
    return body.toBytes();
  }

  private void nameUnsaid(List<Part> parts) {
    for (Part part : parts) {
      if (part instanceof Part.ToolResult result) {
        nameUnsaid(result.content());
      } else if (part instanceof Part.Other other
          && other.source().isObject()
          && other.text().isBlank()) {
        dropped.add(called.inputMember() + "." + other.source().text("type"));
      }
    }
  }

  private static MalformedBodyException refused(String member) {
    return new MalformedBodyException(
        member + " cannot be asked of this model, whose provider does not have it.");
  }

  private void writeMessages(JsonObject body) {
    List<Utterance> all = request.messages();
    int first = 0;
    List<Part> system = new ArrayList<>();
    while (first < all.size() && all.get(first).ofSystem()) {
      system.addAll(all.get(first++).parts());
    }
    ToolReferences references =
        new ToolReferences(
            () -> request.tools().stream().map(Tool::name).collect(Collectors.toSet())::contains);
    MessagesBlocks blocks =
        new MessagesBlocks(terms.model().traits().unsignedThinking(), marks, references);
    boolean marksItself = terms.remembered() && marks.isNone();
    writeSystem(system, blocks, marksItself, body);
    List<Utterance> rest = placed(all.subList(first, all.size()), blocks);
    Utterance goesOn = StoredMessage.of("user", MessageWriters.CONTINUED).utterance();
    if (rest.isEmpty() || rest.get(0).ofModel()) {
      rest.add(0, goesOn);
    }
    boolean refusesBegun = terms.model().ofMistral() && !terms.model().isNamedMistral();
    if (refusesBegun && rest.get(rest.size() - 1).ofModel()) {
      rest.add(goesOn); // Newer models of Anthropic do not go on with an answer that is begun.
    }
    JsonWriter messages = new JsonWriter(4096).ascii("[");
    MessagesWriter writer = new MessagesWriter(rest, blocks);
    if (marksItself) {
      int unused = writer.markStored(CacheMarks.MAX - 1, CacheMarks.MARK);
    }
    writer.write(messages);
    body.raw("messages", messages.ascii("]"));
  }

  /**
   * Joins the texts of the leading system messages by a blank line; with cache marks they are
   * blocks.
   *
   * @param marked whether the gateway marks their end
   */
  private static void writeSystem(
      List<Part> system, MessagesBlocks blocks, boolean marked, JsonObject body) {
    if (system.stream().anyMatch(part -> CachedPrefix.isMarked(part.source()))) {
      StringJoiner written = new StringJoiner(",", "[", "]");
      for (Part part : system) {
        String block = part instanceof Part.Text ? blocks.block(part) : null;
        if (block != null) {
          written.add(block);
        }
      }
      body.raw("system", written.toString());
      return;
    }
    List<String> texts =
        system.stream().map(part -> Part.textOf(List.of(part))).filter(t -> !t.isBlank()).toList();
    String text = String.join("\n\n", texts);
    if (!texts.isEmpty() && marked) {
      body.raw(
          "system", "[" + CacheMarks.marked(Part.textPart("text", JsonWriter.quote(text))) + "]");
    } else if (!texts.isEmpty()) {
      body.string("system", text);
    }
  }

  /**
   * The messages with those of the system where they stand: behind the user's and before the
   * model's or last as such, anywhere else, and for a model that refuses the role, as a text of the
   * user.
   */
  private List<Utterance> placed(List<Utterance> all, MessagesBlocks blocks) {
    List<Utterance> placed = new ArrayList<>();
    int next = 0;
    for (int at = 0; at < all.size(); at++) {
      Utterance message = all.get(at);
      String text = message.ofSystem() ? Part.textOf(message.parts()) : "";
      next = Math.max(next, at);
      while (next < all.size() && all.get(next).ofSystem()) {
        next++;
      }
      if (!message.ofSystem()) {
        if (!Part.sayNothing(message.parts())) {
          placed.add(message);
        }
      } else if (!text.isBlank()) {
        boolean known = !terms.model().isStrict();
        boolean behind = !placed.isEmpty() && !placed.get(placed.size() - 1).ofModel();
        boolean before = next == all.size() || all.get(next).ofModel();
        placed.add(known && behind && before ? ofSystem(message, blocks) : ofUser(text));
      }
    }
    return placed;
  }

  private static Utterance ofSystem(Utterance message, MessagesBlocks blocks) {
    StringJoiner content = new StringJoiner(",", "[", "]");
    for (Part part : message.parts()) {
      String block = part instanceof Part.Text ? blocks.block(part) : null;
      if (block != null) {
        content.add(block);
      }
    }
    JsonValue json = JsonValue.of("{\"role\":\"system\",\"content\":" + content + "}");
    return Utterance.of("system", message.parts()).withVerbatim(json);
  }

  private static Utterance ofUser(String text) {
    String marked = "<system-message>" + text + "</system-message>";
    return StoredMessage.of("user", JsonWriter.quote(marked)).utterance();
  }

  private void writeReasoning(JsonObject body) {
    Effort effort = request.effort();
    Long asked = request.reasoningBudget();
    JsonObject config = new JsonObject();
    boolean configured = writeOutput(config);
    boolean thinks = false;
    if (effort == Effort.NONE) {
      body.raw("thinking", "{\"type\":\"disabled\"}");
    } else if (terms.reasoning() == Terms.Reasoning.BUDGET && (effort != null || asked != null)) {
      long budget = asked != null ? asked : effort == null ? 0 : effort.budget();
      thinks = !forced && maxTokens > MIN_BUDGET && !goesOnWithoutThought();
      if (thinks) {
        body.raw(
            "thinking",
            new JsonObject()
                .string("type", "enabled")
                .number("budget_tokens", fit(budget))
                .toString());
      } else {
        dropped.add(called.nameOf(Topic.EFFORT));
      }
    } else if (effort != null || asked != null) {
      Effort level = effort != null ? effort : Effort.ofBudget(asked == null ? 0 : asked);
      config.string("effort", level == Effort.MINIMAL ? "low" : level.wireName());
      configured = true;
      thinks = !forced;
      if (thinks) {
        body.raw("thinking", "{\"type\":\"adaptive\"}");
      }
    }
    if (configured) {
      body.raw("output_config", config.toString());
    }
    if (thinks) {
      leaveOutWithThinking();
    }
  }

  private long fit(long budget) {
    long most = maxTokens - Math.min(MIN_BUDGET, maxTokens / 2);
    return Math.max(MIN_BUDGET, budget < maxTokens ? budget : most);
  }

  /**
   * Whether the model goes on with an answer that it began without a thought, which must have one
   * where a budget of thinking is given.
   */
  private boolean goesOnWithoutThought() {
    List<Utterance> all = request.messages();
    int last = all.size() - 1;
    boolean goesOn = true;
    while (last >= 0 && !all.get(last).ofModel()) {
      boolean user = !all.get(last).ofSystem();
      goesOn = all.get(last).usesTools() || (goesOn && !user);
      last--;
    }
    while (last > 0 && all.get(last - 1).ofModel()) {
      last--;
    }
    return goesOn
        && last >= 0
        && all.get(last).parts().stream().limit(1).noneMatch(p -> p instanceof Part.Reasoning);
  }

  /** Leaves out sampling that is refused with thinking. */
  private void leaveOutWithThinking() {
    for (String name : List.of("temperature", "top_k", "top_p")) {
      Request.Shared given = shared.get(name);
      double value = given == null ? 1 : number(given.value());
      boolean fits =
          name.equals("top_p") ? value >= 0.95 : name.equals("temperature") && value == 1;
      if (given != null && !fits) {
        shared.remove(name);
        dropped.add(given.name());
      }
    }
  }

  private boolean writeOutput(JsonObject config) {
    OutputFormat output = request.output();
    JsonValue schema = output == null ? null : output.schema();
    if (output == null) {
      return false;
    }
    String name = called.nameOf(Topic.OUTPUT_FORMAT);
    if (schema == null || MessagesSchema.isAny(schema)) {
      dropped.add(name);
      return false;
    }
    MessagesSchema taken = new MessagesSchema(schema);
    if (!taken.isTakable()) {
      dropped.add(name);
      return false;
    }
    if (taken.isEmptied()) {
      dropped.add(name + ".additionalProperties");
    }
    config.raw(
        "format",
        new JsonObject().string("type", "json_schema").raw("schema", taken.toString()).toString());
    return true;
  }

  /** Writes the name of the user, which is all that {@code metadata} has here. */
  private void writeUser(JsonObject body) {
    Request.Shared metadata = shared.remove("metadata");
    String user = request.endUser();
    if (metadata != null) {
      String named = metadata.value().string("user_id");
      if (metadata.value().fields().size() > (named == null ? 0 : 1)) {
        dropped.add(metadata.name());
      }
      user = user == null ? named : user;
    }
    if (user != null) {
      // A name that tells who its user is would be refused.
      boolean tells = user.length() > MAX_USER || user.startsWith("+") || user.indexOf('@') >= 0;
      String named = tells ? Sha256.hex(user) : user;
      body.raw("metadata", new JsonObject().string("user_id", named).toString());
    }
  }

  private void writeShared(List<Member> members, JsonObject body) {
    Request.Shared temperature = shared.get("temperature");
    if (temperature != null && number(temperature.value()) > 1) {
      shared.put("temperature", new Request.Shared(temperature.name(), JsonValue.of("1")));
      dropped.add(temperature.name());
    }
    Member.write(shared, members, body, dropped);
  }

  private static double number(JsonValue value) {
    return value.is(JsonValue.Kind.NUMBER) ? Double.parseDouble(value.raw()) : Double.NaN;
  }

  private void writeStop(JsonObject body) {
    List<String> stop = request.stop().stream().filter(text -> !text.isBlank()).toList();
    if (stop.size() < request.stop().size()) {
      dropped.add(called.nameOf(Topic.STOP));
    }
    if (!stop.isEmpty()) {
      StringJoiner json = new StringJoiner(",", "[", "]");
      stop.forEach(text -> json.add(JsonWriter.quote(text)));
      body.raw("stop_sequences", json.toString());
    }
  }
}
