package io.memorygateway.format.responses;

import io.memorygateway.format.translation.Answer;
import io.memorygateway.format.translation.Called;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Piece;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One answer of another format as a response: its members, its items, and the whole of it. */
final class ResponsesAnswer {
  /** What an answer says that was refused without words. */
  static final String REFUSED = "The model refused to answer.";

  private static final String ID = "resp_";

  /** Members with text of the model. */
  private static final Set<String> WORDS = Set.of("text", "refusal", "arguments", "input", "name");

  /** Members that repeat those of the call, with what they are without it. */
  private static final List<List<String>> REPEATED =
      List.of(
          List.of("background", "false"),
          List.of("instructions", "null"),
          List.of("max_output_tokens", "null"),
          List.of("max_tool_calls", "null"),
          List.of("metadata", "{}"),
          List.of("parallel_tool_calls", "true"),
          List.of("previous_response_id", "null"),
          List.of("prompt_cache_key", "null"),
          List.of("reasoning", "{\"effort\":null,\"summary\":null}"),
          List.of("safety_identifier", "null"),
          List.of("service_tier", "\"default\""),
          List.of("store", "false"),
          List.of("temperature", "1.0"),
          List.of("text", "{\"format\":{\"type\":\"text\"}}"),
          List.of("tool_choice", "\"auto\""),
          List.of("tools", "[]"),
          List.of("top_logprobs", "0"),
          List.of("top_p", "1.0"),
          List.of("truncation", "\"disabled\""),
          List.of("user", "null"));

  private final Called called;
  private final ResponsesTools tools;
  private final String id;
  private final String model;
  private final long created;
  private final String repeated;

  /**
   * @param id of the target; empty for a new one
   * @param created 0 for now
   */
  ResponsesAnswer(Called called, String id, String model, long created) {
    this.called = called;
    this.tools = new ResponsesTools(called.root());
    this.id = Called.answerId(ID, id);
    this.model = called.model(model);
    this.repeated = repeated(called.root());
    this.created = created > 0 ? created : System.currentTimeMillis() / 1000;
  }

  static byte[] write(Answer answer, Called called) {
    ResponsesAnswer response =
        new ResponsesAnswer(called, answer.id(), answer.model(), answer.created());
    List<String> output = new ArrayList<>();
    List<String> parts = new ArrayList<>();
    boolean refused = false;
    for (Piece piece : answer.pieces()) {
      if (piece instanceof Piece.Text text) {
        parts.add(textPart(text.text(), annotations(text), text.logprobs()));
      } else if (piece instanceof Piece.Refusal refusal) {
        refused = true;
        parts.add(refusalPart(refusal.text()));
      } else {
        response.addMessage(parts, true, output);
        if (piece instanceof Piece.Thought thought) {
          if (!thought.text().isEmpty() || thought.seal() != null) {
            output.add(response.thought(output.size(), thought.text(), thought.seal()));
          }
        } else if (piece instanceof Piece.Call call) {
          String name = called.names().called(call.name());
          boolean whole = !call.isCut(answer.stop());
          output.add(response.call(output.size(), whole, call.id(), name, call.arguments()));
        }
      }
    }
    if (answer.stop() == Stop.REFUSAL && !refused) {
      parts.add(refusalPart(REFUSED));
    }
    response.addMessage(parts, answer.stop() != Stop.LENGTH, output);
    return response.finished(answer.stop(), answer.usage(), output).toBytes();
  }

  private void addMessage(List<String> parts, boolean whole, List<String> output) {
    if (!parts.isEmpty()) {
      output.add(message(output.size(), whole ? "completed" : "incomplete", parts));
      parts.clear();
    }
  }

  /** The id of an item without its prefix. */
  private String idOf(int index) {
    return id.substring(ID.length()) + "_" + index;
  }

  String messageId(int index) {
    return "msg_" + idOf(index);
  }

  String message(int index, String status, List<String> parts) {
    return new JsonObject()
        .string("id", messageId(index))
        .string("type", "message")
        .string("status", status)
        .string("role", "assistant")
        .raw("content", "[" + String.join(",", parts) + "]")
        .toString();
  }

  static String textPart(String text, List<String> annotations, String logprobs) {
    return new JsonObject(text.length() + 128)
        .string("type", "output_text")
        .raw("annotations", "[" + String.join(",", annotations) + "]")
        .raw("logprobs", "[" + logprobs + "]")
        .string("text", text)
        .toString();
  }

  static String refusalPart(String text) {
    return new JsonObject().string("type", "refusal").string("refusal", text).toString();
  }

  private static List<String> annotations(Piece.Text text) {
    return text.citations().stream()
        .map(citation -> annotation(citation, text.text().length()))
        .toList();
  }

  /**
   * A source of a text.
   *
   * @param length of the text so far, all of which it is the source of if nothing else is known
   */
  static String annotation(Piece.Citation citation, int length) {
    boolean known = citation.start() >= 0 && citation.end() >= citation.start();
    return new JsonObject()
        .string("type", "url_citation")
        .number("start_index", known ? citation.start() : 0)
        .number("end_index", known ? citation.end() : length)
        .string("url", citation.url())
        .string("title", citation.title() == null ? "" : citation.title())
        .toString();
  }

  String thoughtId(int index) {
    return "rs_" + idOf(index);
  }

  String thought(int index, String text, @Nullable Seal seal) {
    return new JsonObject(text.length() + 256)
        .string("id", thoughtId(index))
        .string("type", "reasoning")
        .raw("summary", text.isEmpty() ? "[]" : "[" + summaryPart(text) + "]")
        .string("encrypted_content", seal == null ? null : seal.text())
        .toString();
  }

  static String summaryPart(String text) {
    return new JsonObject().string("type", "summary_text").string("text", text).toString();
  }

  /** Whether the arguments of a call may go out before they are whole. */
  boolean isFunction(String name) {
    return tools.isFunction(name);
  }

  String callItemId(int index) {
    return "fc_" + idOf(index);
  }

  String begunCall(int index, String callId, String name) {
    return tools.item(idOf(index), "in_progress", callId, name, "");
  }

  String call(int index, boolean whole, String callId, String name, String arguments) {
    String status = whole ? "completed" : "incomplete";
    String json = arguments.isBlank() && whole ? "{}" : arguments;
    return tools.item(idOf(index), status, callId, name, json);
  }

  JsonWriter finished(Stop stop, Usage usage, List<String> output) {
    boolean cut = stop == Stop.LENGTH;
    long input = usage.input() >= 0 ? 0 : called.input().getAsLong();
    long said = usage.output() >= 0 ? 0 : said(output);
    return response(
        cut ? "incomplete" : "completed",
        output,
        usage(usage.or(input, said)),
        "null",
        cut ? "{\"reason\":\"max_output_tokens\"}" : "null");
  }

  JsonWriter begun() {
    return response("in_progress", List.of(), "null", "null", "null");
  }

  JsonWriter failed(Fault fault, List<String> output) {
    String error =
        new JsonObject()
            .string("code", ResponsesFaults.streamCode(fault))
            .string("message", fault.openAiMessage())
            .toString();
    return response("failed", output, "null", error, "null");
  }

  private JsonWriter response(
      String status, List<String> output, String usage, String error, String incomplete) {
    JsonWriter out = new JsonWriter(1024);
    out.ascii("{\"id\":").string(id).ascii(",\"object\":\"response\",\"created_at\":");
    out.number(created).ascii(",\"status\":\"").ascii(status).ascii("\",\"error\":").raw(error);
    out.ascii(",\"incomplete_details\":").ascii(incomplete).ascii(",\"model\":").string(model);
    out.ascii(",\"output\":[");
    output.forEach(item -> out.element().raw(item));
    return out.ascii("],\"usage\":").ascii(usage).raw(repeated).ascii("}");
  }

  /** Members of the call, in one line. */
  private static String repeated(JsonValue root) {
    StringBuilder members = new StringBuilder();
    for (List<String> member : REPEATED) {
      JsonValue given = root.get(member.get(0));
      String value = given == null ? member.get(1) : JsonWriter.inOneLine(given.raw());
      members.append(",\"").append(member.get(0)).append("\":").append(value);
    }
    return members.toString();
  }

  private static String usage(Usage usage) {
    long read = Math.max(0, usage.input());
    long written = Math.max(0, usage.output());
    JsonObject input =
        new JsonObject()
            .number("cached_tokens", Math.max(0, usage.cached()))
            .number("cache_write_tokens", Math.max(0, usage.written()));
    JsonObject output = new JsonObject().number("reasoning_tokens", Math.max(0, usage.reasoning()));
    return new JsonObject()
        .number("input_tokens", read)
        .raw("input_tokens_details", input.toString())
        .number("output_tokens", written)
        .raw("output_tokens_details", output.toString())
        .number("total_tokens", read + written)
        .toString();
  }

  /** The tokens of what the model wrote. */
  private long said(List<String> output) {
    return output.stream().mapToLong(item -> said(JsonValue.of(item))).sum();
  }

  private long said(JsonValue value) {
    long tokens = value.items().stream().mapToLong(this::said).sum();
    for (JsonValue.Field member : value.fields()) {
      boolean isText = member.value().isString() && WORDS.contains(member.name());
      tokens += isText ? called.count().applyAsLong(member.value().text()) : said(member.value());
    }
    return tokens;
  }
}
