package io.memorygateway.turn;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.format.Format;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.StringJoiner;
import java.util.stream.IntStream;

/** A client's long talk with a model, in one format: questions, steps of tools, answers. */
public final class LongTalk {
  private static final String MARK = ",\"cache_control\":{\"type\":\"ephemeral\"}";
  private static final String[] WORDS =
      ("the garden river morning train letter kitchen window harvest market doctor island concert"
              + " bridge before after during between yellow quiet heavy early often never plans"
              + " visits repairs paints returns sells finds asks answers of and with for about")
          .split(" ");

  /** The endpoint of the calls. */
  public enum Endpoint {
    CHAT,
    MESSAGES,
    RESPONSES;

    Format format() {
      return switch (this) {
        case CHAT -> new ChatFormat();
        case MESSAGES -> new MessagesFormat();
        case RESPONSES -> new ResponsesFormat();
      };
    }

    String list() {
      return this == RESPONSES ? "input" : "messages";
    }
  }

  /** What a client of Messages marks. */
  public enum Marks {
    NOTHING,
    NEWEST,
    SYSTEM_AND_NEWEST,
    ALL_FOUR,
    AUTOMATIC
  }

  /**
   * A step: new messages, and what the model says to them.
   *
   * @param fresh in the endpoint's form
   * @param said the answer's messages in that form
   * @param answer as the provider sends it
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Step(List<String> fresh, List<String> said, byte[] answer) {}

  private final Endpoint endpoint;
  private final Marks marks;
  private final Random random;
  private int calls;

  LongTalk(Endpoint endpoint, Marks marks, long seed) {
    this.endpoint = endpoint;
    this.marks = marks;
    this.random = new Random(seed);
  }

  /** The steps of one turn. */
  List<Step> turn() {
    List<Step> steps = new ArrayList<>();
    List<String> fresh = List.of(question(words(10 + random.nextInt(70))));
    int loops = random.nextInt(6) == 0 ? 1 + random.nextInt(3) : 0;
    for (int loop = 0; loop < loops; loop++) {
      int parallel = random.nextInt(9) == 0 ? 25 : 1 + random.nextInt(3);
      List<String> ids =
          IntStream.range(0, parallel).mapToObj(at -> "call_" + (calls + at)).toList();
      calls += parallel;
      steps.add(step(fresh, calls(ids)));
      fresh = results(ids);
    }
    steps.add(step(fresh, List.of(answer(words(40 + random.nextInt(260))))));
    return steps;
  }

  /** A call with these messages. */
  String body(List<String> messages) {
    String system =
        JsonWriter.quote("You are of help. " + new LongTalk(endpoint, marks, 0).words(900));
    String tools = Collections.nCopies(3, "{\"name\":\"f\"}").toString();
    String joined = String.join(",", messages);
    return switch (endpoint) {
      case CHAT ->
          "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":%s},%s]}"
              .formatted(system, joined);
      case RESPONSES ->
          "{\"model\":\"m\",\"store\":false,\"instructions\":%s,\"input\":[%s]}"
              .formatted(system, joined);
      case MESSAGES ->
          "{\"model\":\"m\",\"max_tokens\":9%s,\"tools\":%s,\"system\":[{\"type\":\"text\",\"text\":%s%s}],\"messages\":[%s]}"
              .formatted(
                  marks == Marks.AUTOMATIC ? MARK : "",
                  marks == Marks.ALL_FOUR
                      ? tools
                          .replace("\"f\"}", "\"f\"" + MARK + "}")
                          .replaceFirst(",\"cache[^}]*}", "")
                      : tools,
                  system,
                  marks == Marks.SYSTEM_AND_NEWEST || marks == Marks.ALL_FOUR ? MARK : "",
                  joined);
    };
  }

  String words(int number) {
    StringJoiner words = new StringJoiner(" ", "", ".");
    for (int at = 0; at < number; at++) {
      words.add(WORDS[random.nextInt(WORDS.length)]);
    }
    return words.toString();
  }

  /** Marks that a client who sends all that was said sets again where it set them before. */
  int marksAgain() {
    return marks == Marks.ALL_FOUR ? 0 : 1;
  }

  private String markOfNewest() {
    return endpoint == Endpoint.MESSAGES && marks != Marks.NOTHING && marks != Marks.AUTOMATIC
        ? MARK
        : "";
  }

  private String question(String text) {
    String quoted = JsonWriter.quote(text);
    String mark = markOfNewest();
    return "{\"role\":\"user\",\"content\":%s}"
        .formatted(
            mark.isEmpty() ? quoted : "[{\"type\":\"text\",\"text\":" + quoted + mark + "}]");
  }

  private String answer(String text) {
    String quoted = JsonWriter.quote(text);
    return switch (endpoint) {
      case CHAT -> "{\"role\":\"assistant\",\"content\":" + quoted + "}";
      case MESSAGES ->
          "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":" + quoted + "}]}";
      case RESPONSES ->
          "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":"
              + quoted
              + "}]}";
    };
  }

  private List<String> calls(List<String> ids) {
    String call =
        switch (endpoint) {
          case CHAT ->
              "{\"id\":\"%s\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}";
          case MESSAGES -> "{\"type\":\"tool_use\",\"id\":\"%s\",\"name\":\"f\",\"input\":{}}";
          case RESPONSES ->
              "{\"type\":\"function_call\",\"call_id\":\"%s\",\"name\":\"f\",\"arguments\":\"{}\"}";
        };
    List<String> calls = ids.stream().map(call::formatted).toList();
    return switch (endpoint) {
      case CHAT ->
          List.of("{\"role\":\"assistant\",\"content\":null,\"tool_calls\":" + calls + "}");
      case MESSAGES -> List.of("{\"role\":\"assistant\",\"content\":" + calls + "}");
      case RESPONSES -> calls;
    };
  }

  private List<String> results(List<String> ids) {
    List<String> results = new ArrayList<>();
    for (String id : ids) {
      boolean last = id.equals(ids.get(ids.size() - 1));
      String text = JsonWriter.quote(words(5 + random.nextInt(60)));
      results.add(
          switch (endpoint) {
            case CHAT ->
                "{\"role\":\"tool\",\"tool_call_id\":\"%s\",\"content\":%s}".formatted(id, text);
            case MESSAGES ->
                "{\"type\":\"tool_result\",\"tool_use_id\":\"%s\",\"content\":%s%s}"
                    .formatted(id, text, last ? markOfNewest() : "");
            case RESPONSES ->
                "{\"type\":\"function_call_output\",\"call_id\":\"%s\",\"output\":%s}"
                    .formatted(id, text);
          });
    }
    return endpoint == Endpoint.MESSAGES
        ? List.of("{\"role\":\"user\",\"content\":" + results + "}")
        : results;
  }

  private Step step(List<String> fresh, List<String> said) {
    String answer =
        switch (endpoint) {
          case CHAT -> "{\"choices\":[{\"message\":" + said.get(0) + "}]}";
          case MESSAGES -> said.get(0);
          case RESPONSES -> "{\"output\":" + said + "}";
        };
    return new Step(fresh, said, answer.getBytes(UTF_8));
  }
}
