package io.memorygateway.format.chat;

import io.memorygateway.format.call.MessageWriters;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.content.CallArguments;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.ToolKind;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes messages of any format as Chat Completions messages. */
final class ChatWriter {
  /** How messages of a call in another format are written. */
  interface Foreign {
    /** Takes a part that this format cannot say. */
    void leave(Part part);

    /** Whether the target takes marks of where a cached prefix ends. */
    boolean marks();
  }

  private static final String BLANK_LINE = "\n\n";

  /** What stands between results and the user's words where these may not follow directly. */
  private static final String RESULTS_READ = "\"I have read the results.\"";

  private final JsonWriter out;
  private final UpstreamModel model;
  private final ChatEcho echo;

  /** Null if the messages are those of a call of Chat and its thread. */
  private final @Nullable Foreign foreign;

  /** Whether only an answer may follow a result. */
  private final boolean answersResults;

  /** Whether a result was written last, which only an answer may follow. */
  private boolean behindResult;

  /** Whether the last message is being written. */
  private boolean last;

  /** Parts of results that only a message of the user can show, which follows the results. */
  private final List<String> shown = new ArrayList<>();

  /**
   * A writer of messages for any target.
   *
   * @param out an array, to which messages are added
   */
  ChatWriter(JsonWriter out, UpstreamModel model) {
    this(out, model, null, false);
  }

  /**
   * A writer of messages for the model's own target.
   *
   * @param foreign of a call in another format, whose messages are all in parts
   */
  ChatWriter(JsonWriter out, UpstreamModel model, @Nullable Foreign foreign) {
    this(out, model, foreign, model.ofMistral());
  }

  private ChatWriter(
      JsonWriter out, UpstreamModel model, @Nullable Foreign foreign, boolean answersResults) {
    this.out = out;
    this.model = model;
    this.echo = new ChatEcho(model);
    this.foreign = foreign;
    this.answersResults = answersResults;
  }

  /**
   * Writes messages. The model's stored messages are joined to the one before them if that has
   * calls, or is one of the items of an answer: in Chat, results have to follow the message with
   * the calls directly, and this has the reasoning that led to them.
   */
  void write(List<Utterance> utterances) {
    int at = 0;
    while (at < utterances.size()) {
      Utterance utterance = utterances.get(at++);
      boolean any = foreign != null || hasCalls(utterance);
      if (isStoredOfModel(utterance) && (any || isItem(utterance))) {
        List<Part> parts = new ArrayList<>(utterance.parts());
        while (at < utterances.size()
            && (any || isItem(utterances.get(at)))
            && joins(parts, utterances.get(at))) {
          Utterance next = utterances.get(at++);
          if (foreign != null || !isAll(Part.Reasoning.class, next.parts())) {
            parts.addAll(next.parts());
          }
        }
        utterance = utterance.withParts(parts);
      }
      last = at == utterances.size();
      write(utterance);
    }
    writeShown();
  }

  /** Whether a message belongs to the model's before it: the items of one answer are many. */
  private static boolean joins(List<Part> before, Utterance next) {
    return isStoredOfModel(next)
        && next.parts().stream().noneMatch(ChatWriter::isFunction)
        && (before.stream().anyMatch(part -> part instanceof Part.ToolCall)
            || isAll(Part.Reasoning.class, before)
            || next.parts().stream().noneMatch(part -> part instanceof Part.Text));
  }

  private static boolean isAll(Class<? extends Part> kind, List<Part> parts) {
    return parts.stream().allMatch(kind::isInstance);
  }

  private static boolean hasCalls(Utterance utterance) {
    return utterance.usesTools()
        && utterance.parts().stream()
            .anyMatch(part -> part instanceof Part.ToolCall && !isFunction(part));
  }

  /** Whether it is a call as before there were tools, of which a message holds one. */
  private static boolean isFunction(Part part) {
    return part instanceof Part.ToolCall call && call.kind().equals(ToolKind.FUNCTION);
  }

  /** Whether it is an item of Responses, or was one whose reasoning has been carried here. */
  private static boolean isItem(Utterance utterance) {
    JsonValue content = utterance.content();
    return content == null || (content.isObject() && content.string("type") != null);
  }

  private static boolean isStoredOfModel(Utterance utterance) {
    return utterance.ofModel() && utterance.verbatim() == null;
  }

  /** Writes the utterance as zero or more messages. */
  private void write(Utterance utterance) {
    JsonValue verbatim = utterance.verbatim();
    JsonValue string = utterance.string();
    if (utterance.parts().stream().noneMatch(part -> part instanceof Part.ToolResult)
        && (verbatim != null || utterance.ofModel() || utterance.ofSystem())) {
      writeShown();
    }
    if (verbatim != null) {
      beforeMessage(utterance.role());
      out.element().raw(verbatim);
      behindResult |= answersResults && utterance.role().equals("tool");
    } else if (string != null && shown.isEmpty() && !utterance.role().equals("tool")) {
      write(role(utterance), string);
    } else if ((saysMore(utterance) || !Part.sayNothing(utterance.parts()))
        && !writeOwn(utterance)) {
      render(utterance);
    }
  }

  /** Writes the message as received or stored, if it has Chat's format; else returns false. */
  private boolean writeOwn(Utterance utterance) {
    JsonValue content = utterance.content();
    if (content == null
        || foreign != null
        || !(saysMore(utterance) || MessageWriters.isAll(ChatParts.OWN, utterance.parts()))) {
      return false;
    }
    String role = role(utterance);
    boolean result = utterance.parts().get(0) instanceof Part.ToolResult;
    if (role.equals("tool") != result) {
      return false;
    }
    if (!content.isObject()) {
      boolean words = utterance.parts().stream().allMatch(part -> part instanceof Part.Text);
      boolean fits = words || role.equals("user");
      if (fits && !shown.isEmpty()) {
        return false;
      }
      if (fits) {
        write(role, content);
      }
      return fits;
    }
    if (content.string("type") != null || content.get("parts") != null) {
      return false;
    }
    String members =
        utterance.ofModel()
            ? echo.members(content, last)
            : content.rawMembers(name -> !name.equals("role"));
    if (members != null) {
      beforeMessage(role);
      behindResult = result && answersResults;
      out.element().ascii("{\"role\":\"").ascii(role).ascii("\",").raw(members).ascii("}");
    }
    return true;
  }

  /** Whether it is an answer of the model in Chat's form that says something beside its content. */
  private static boolean saysMore(Utterance utterance) {
    JsonValue content = utterance.content();
    return utterance.ofModel()
        && content != null
        && (content.get("audio") != null || !JsonValue.isEmpty(content.get("images")));
  }

  private static String role(Utterance utterance) {
    return utterance.ofSystem() ? "system" : utterance.role();
  }

  private void render(Utterance utterance) {
    List<Part> rest = new ArrayList<>();
    for (Part part : utterance.parts()) {
      if (part instanceof Part.ToolResult result) {
        out.element().raw(result(result));
        behindResult = answersResults;
      } else {
        rest.add(part);
      }
    }
    if (utterance.ofModel()) {
      answer(rest);
    } else if (utterance.ofSystem()) {
      system(rest);
    } else if (!rest.isEmpty()) {
      question(rest);
    }
  }

  private void system(List<Part> parts) {
    List<Part> texts = new ArrayList<>();
    for (Part part : parts) {
      if (Part.textOf(List.of(part)).isBlank()) {
        leave(part);
      } else {
        texts.add(part);
      }
    }
    boolean marked = texts.stream().anyMatch(part -> mark(part) != null);
    String content =
        marked
            ? texts.stream().map(this::part).collect(Collectors.joining(",", "[", "]"))
            : JsonWriter.quote(
                texts.stream()
                    .map(part -> Part.textOf(List.of(part)))
                    .collect(Collectors.joining(BLANK_LINE)));
    MessageWriters.addMessage(out, "system", content);
  }

  /**
   * A result: its texts in their order, and in the place of what only the user can show a word on
   * where that follows.
   */
  private String result(Part.ToolResult result) {
    if (result.shape() == Shape.CHAT) {
      boolean silent = result.source().get("content") == null;
      Set<String> others = silent ? Set.of("role", "content") : Set.of("role");
      String members = result.source().rawMembers(name -> !others.contains(name));
      String role = result.kind().equals(ToolKind.FUNCTION) ? "function" : "tool";
      return "{\"role\":\"" + role + "\"," + members + (silent ? ",\"content\":\"\"}" : "}");
    }
    StringBuilder text = new StringBuilder(result.error() ? "Error:" : "");
    int attachments = 0;
    for (Part part : result.content()) {
      String words = Part.textOf(List.of(part));
      String json = words.isEmpty() ? part(part) : null;
      if (json != null && part instanceof Part.File && JsonValue.of(json).get("file") == null) {
        words = JsonValue.of(json).text("text");
      } else if (json != null) {
        String name =
            (part instanceof Part.Image ? "image " : part instanceof Part.File ? "file " : "audio ")
                + ++attachments;
        words = "[" + name + ": shown in the next message]";
        String title = "[" + name + " of the result of call " + result.id() + "]";
        shown.add(Part.textPart("text", JsonWriter.quote(title)));
        shown.add(json);
      }
      if (!words.isEmpty()) {
        text.append(text.isEmpty() ? "" : "\n").append(words);
      }
    }
    String standIn = text.toString().isBlank() ? MessageWriters.standIn(result.content()) : null;
    return new JsonObject(text.length() + 128)
        .string("role", "tool")
        .string("tool_call_id", result.id())
        .string("content", standIn == null ? text.toString() : standIn)
        .toString();
  }

  /** Writes what results show, once all of them are written. */
  private void writeShown() {
    if (!shown.isEmpty()) {
      writeUser("[" + String.join(",", shown) + "]");
      shown.clear();
    }
  }

  private void write(String role, JsonValue content) {
    beforeMessage(role);
    MessageWriters.addMessage(out, role, content);
  }

  private void writeUser(String content) {
    beforeMessage("user");
    MessageWriters.addMessage(out, "user", content);
  }

  private void beforeMessage(String role) {
    if (behindResult && role.equals("user")) {
      MessageWriters.addMessage(out, "assistant", RESULTS_READ);
    }
    behindResult = false;
  }

  private void answer(List<Part> parts) {
    String text = Part.textOf(parts);
    List<Part.ToolCall> called =
        parts.stream()
            .filter(Part.ToolCall.class::isInstance)
            .map(Part.ToolCall.class::cast)
            .toList();
    boolean function = called.stream().anyMatch(ChatWriter::isFunction);
    String calls =
        function
            ? called.get(0).source().raw()
            : called.stream().map(this::call).collect(Collectors.joining(",", "[", "]"));
    for (Part part : parts) {
      boolean said =
          part instanceof Part.Text
              || part instanceof Part.ToolCall
              || part instanceof Part.Reasoning
              || !Part.textOf(List.of(part)).isEmpty();
      if (!said) {
        leave(part);
      }
    }
    List<String> pieces = new ArrayList<>(ChatReasoning.parts(parts, model.traits()::takesBack));
    String content = text.isBlank() ? "null" : JsonWriter.quote(text);
    if (!pieces.isEmpty()) {
      pieces.addAll(text.isBlank() ? List.of() : List.of(Part.textPart("text", content)));
      content = "[" + String.join(",", pieces) + "]";
    }
    String reasoning = ChatReasoning.members(parts, model.traits()::takesBack);
    behindResult &= called.isEmpty() && text.isBlank();
    if (!called.isEmpty() || (!reasoning.isEmpty() && !text.isBlank())) {
      out.element()
          .ascii("{\"role\":\"assistant\",\"content\":")
          .raw(content)
          .raw(reasoning)
          .raw(
              called.isEmpty()
                  ? "}"
                  : ",\"" + (function ? "function_call" : "tool_calls") + "\":" + calls + "}");
    } else if (!text.isBlank()) {
      MessageWriters.addMessage(out, "assistant", content);
    }
  }

  private String call(Part.ToolCall call) {
    return call.shape() == Shape.CHAT
        ? echo.call(call.source())
        : new JsonObject()
            .string("id", call.id())
            .string("type", "function")
            .raw(
                "function",
                new JsonObject()
                    .string("name", call.name())
                    .string("arguments", CallArguments.object(call.arguments()))
                    .toString())
            .toString();
  }

  private void question(List<Part> parts) {
    List<String> written = new ArrayList<>(shown);
    shown.clear();
    String only = null;
    for (Part part : parts) {
      String json = part(part);
      if (json != null) {
        written.add(json);
        only = part instanceof Part.Text text && mark(part) == null ? text.quoted() : null;
      }
    }
    String standIn = written.isEmpty() ? MessageWriters.standIn(parts) : null;
    if (standIn != null) {
      writeUser(JsonWriter.quote(standIn));
    } else if (written.size() == 1 && only != null) {
      writeUser(only);
    } else if (!written.isEmpty()) {
      writeUser("[" + String.join(",", written) + "]");
    }
  }

  private void leave(Part part) {
    if (foreign != null && !(part instanceof Part.Text) && !(part instanceof Part.Reasoning)) {
      foreign.leave(part);
    }
  }

  private @Nullable String part(Part part) {
    if (foreign != null && part instanceof Part.Text text && text.text().isBlank()) {
      return null;
    }
    String json = ChatParts.of(part);
    String mark = mark(part);
    if (json == null) {
      leave(part);
    }
    return json == null || mark == null
        ? json
        : json.substring(0, json.length() - 1) + ",\"prompt_cache_breakpoint\":" + mark + "}";
  }

  /** The caller's mark on a part in this format's form; null if there is none to be written. */
  private @Nullable String mark(Part part) {
    if (foreign == null || !foreign.marks() || !part.source().isObject()) {
      return null;
    }
    JsonValue own = part.source().get("prompt_cache_breakpoint");
    return own != null
        ? own.raw()
        : part.source().get("cache_control") == null ? null : "{\"mode\":\"explicit\"}";
  }
}
