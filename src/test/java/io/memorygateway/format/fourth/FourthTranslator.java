package io.memorygateway.format.fourth;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.ToolIds;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.translation.Answer;
import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.AnswerReader;
import io.memorygateway.format.translation.AnswerWriter;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.Called;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Member;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/** The fourth format's side of translation. */
public final class FourthTranslator implements Translator {
  private static final List<Member> MEMBERS =
      List.of(
          Member.mapped("model", ""),
          Member.mapped("say", ""),
          Member.mapped("tools", ""),
          Member.mapped("most", ""),
          Member.mapped("stream", ""),
          Member.shared("temperature"),
          Member.named("mood"));

  @Override
  public Shape shape() {
    return Shape.FOREIGN;
  }

  @Override
  public String inputMember() {
    return "say";
  }

  @Override
  public List<Member> members() {
    return MEMBERS;
  }

  @Override
  public String nameOf(Topic topic) {
    return "its_" + topic.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public Request read(JsonValue root, Dropped dropped) throws MalformedBodyException {
    var unused = FourthMessages.entries(root);
    List<Utterance> messages =
        root.at("say").items().stream().map(FourthMessages::utterance).toList();
    List<Tool> tools = new ArrayList<>();
    for (JsonValue tool : root.at("tools").items()) {
      tools.add(
          new Tool.Function(
              tool.text("tool"), tool.string("about"), tool.get("takes"), null, null));
    }
    JsonValue most = root.get("most");
    return new Request(
        messages,
        tools,
        null,
        null,
        null,
        null,
        null,
        most == null ? null : Long.valueOf(most.raw()),
        List.of(),
        null,
        root.at("stream").raw().equals("true"),
        Member.read(root, MEMBERS, dropped));
  }

  @Override
  public byte[] write(Request request, Terms terms, Translator called, Dropped dropped) {
    JsonWriter say = new JsonWriter(1024).ascii("[");
    FourthMessages.write(request.messages(), say);
    StringJoiner tools = new StringJoiner(",", "[", "]");
    for (Tool tool : request.tools()) {
      if (tool instanceof Tool.Function function) {
        tools.add(
            new JsonObject()
                .string("tool", function.name())
                .string("about", function.description())
                .raw("takes", function.schema())
                .toString());
      } else {
        dropped.add("tools." + tool.name());
      }
    }
    JsonObject call =
        new JsonObject()
            .string("model", terms.model().name())
            .raw("say", say.ascii("]"))
            .raw("tools", tools.toString())
            .number("most", terms.output(request.maxOutput()))
            .bool("stream", request.stream());
    Member.write(request.shared(), MEMBERS, call, dropped);
    return call.toBytes();
  }

  @Override
  public ToolIds ids() {
    return new ToolIds(64, false);
  }

  @Override
  public Answer readAnswer(JsonValue answer, String maker, CallIds calls) {
    return FourthAnswers.read(answer, calls);
  }

  @Override
  public byte[] writeAnswer(Answer answer, Called called) {
    StringJoiner lines = new StringJoiner(",", "[", "]");
    answer.events().stream()
        .map(
            event ->
                FourthAnswers.line(event, called.model(answer.model()), called.names()::called))
        .filter(line -> !line.isEmpty())
        .forEach(lines::add);
    return new JsonObject()
        .string("model", called.model(answer.model()))
        .raw("output", lines.toString())
        .raw("usage", FourthAnswers.usage(answer.usage()))
        .toBytes();
  }

  @Override
  public AnswerReader openReader(String maker, CallIds calls) {
    return new FourthAnswers(calls);
  }

  @Override
  public AnswerWriter openWriter(Called called) {
    return (event, out) -> {
      String model = event instanceof AnswerEvent.Start start ? called.model(start.model()) : "";
      String line = FourthAnswers.line(event, model, called.names()::called);
      if (!line.isEmpty()) {
        out.raw("data: " + line + "\n\n");
      }
    };
  }

  @Override
  public byte[] error(Fault fault) {
    return FourthAnswers.error(fault).getBytes(UTF_8);
  }
}
