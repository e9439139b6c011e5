package io.memorygateway.format.fourth;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.figures.Figure;
import io.memorygateway.format.answer.UsageMembers;
import io.memorygateway.format.translation.Answer;
import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.AnswerReader;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Gathered;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Answers of the fourth format: a stream is of lines, each an object of a {@code kind}; a whole
 * answer has those lines as its {@code output}.
 */
final class FourthAnswers implements AnswerReader {
  static final UsageMembers USAGE =
      new UsageMembers(
          Map.of(
              "read", Figure.INPUT_TOKENS,
              "cached", Figure.CACHED_INPUT_TOKENS,
              "written", Figure.OUTPUT_TOKENS,
              "thought", Figure.REASONING),
          "");

  private final CallIds calls;
  private boolean begun;
  private boolean ended;

  FourthAnswers(CallIds calls) {
    this.calls = calls;
  }

  @Override
  public void read(String name, JsonValue line, Consumer<AnswerEvent> events) {
    if (ended) {
      return;
    }
    JsonValue error = line.get("error");
    String kind = line.text("kind");
    if (!begun && error == null) {
      begun = true;
      events.accept(
          new AnswerEvent.Start(
              line.text("key"), line.text("model"), Math.max(0, line.index("at")), Usage.NONE));
    }
    int piece = line.index("piece");
    String more = line.text("more");
    switch (kind) {
      case "text" -> events.accept(new AnswerEvent.Text(piece, more));
      case "refusal" -> events.accept(new AnswerEvent.Refusal(piece, more));
      case "thought" -> events.accept(new AnswerEvent.Thought(piece, more));
      case "ask" ->
          events.accept(
              new AnswerEvent.Call(piece, calls.next(line.text("key")), line.text("tool")));
      case "with" -> events.accept(new AnswerEvent.Arguments(piece, more));
      case "close" -> events.accept(new AnswerEvent.Close(piece));
      case "end" -> {
        Stop stop = Stop.valueOf(line.text("why"));
        Usage usage = new Usage(USAGE.read(line.get("usage")));
        events.accept(new AnswerEvent.Finish(stop, line.string("sequence"), usage));
        events.accept(new AnswerEvent.End());
        ended = true;
      }
      default -> {
        if (error != null) {
          byte[] envelope = line.raw().getBytes(UTF_8);
          events.accept(new AnswerEvent.Fail(Fault.of(502, envelope, false, () -> 0)));
          ended = true;
        }
      }
    }
  }

  @Override
  public void end(Consumer<AnswerEvent> events) {
    if (!ended) {
      ended = true;
      events.accept(new AnswerEvent.Fail(Fault.broken("The answer is not whole.")));
    }
  }

  static Answer read(JsonValue answer, CallIds calls) {
    FourthAnswers reader = new FourthAnswers(calls);
    Gathered whole = new Gathered();
    answer.at("output").items().forEach(line -> reader.read("", line, whole));
    return whole.answer();
  }

  /**
   * The line of an event; empty if it has none.
   *
   * @param tool the caller's name of a tool
   */
  static String line(AnswerEvent event, String model, UnaryOperator<String> tool) {
    JsonObject line = new JsonObject();
    if (event instanceof AnswerEvent.Start start) {
      line.string("kind", "start")
          .string("key", start.id())
          .string("model", model)
          .number("at", start.created());
    } else if (event instanceof AnswerEvent.Call call) {
      piece("ask", event, line).string("key", call.id()).string("tool", tool.apply(call.name()));
    } else if (event instanceof AnswerEvent.Finish finish) {
      line.string("kind", "end")
          .string("why", finish.stop().name())
          .string("sequence", finish.stopSequence())
          .raw("usage", usage(finish.usage()));
    } else if (event instanceof AnswerEvent.Fail fail) {
      return error(fail.fault());
    } else if (event instanceof AnswerEvent.Close) {
      piece("close", event, line);
    } else if (event.piece() >= 0 && !(event instanceof AnswerEvent.Sealed)) {
      String kind =
          event instanceof AnswerEvent.Text
              ? "text"
              : event instanceof AnswerEvent.Refusal
                  ? "refusal"
                  : event instanceof AnswerEvent.Thought ? "thought" : "with";
      piece(kind, event, line).string("more", event.delta());
    } else {
      return "";
    }
    return line.toString();
  }

  private static JsonObject piece(String kind, AnswerEvent event, JsonObject line) {
    return line.string("kind", kind).number("piece", event.piece());
  }

  static String usage(Usage usage) {
    return new JsonObject()
        .number("read", usage.input())
        .number("cached", Math.max(0, usage.cached()))
        .number("written", usage.output())
        .number("thought", Math.max(0, usage.reasoning()))
        .toString();
  }

  static String error(Fault fault) {
    JsonObject error =
        new JsonObject().string("type", fault.type()).string("message", fault.message());
    return new JsonObject().raw("error", error.toString()).toString();
  }
}
