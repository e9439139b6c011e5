package io.memorygateway.format.fourth;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.format.answer.AnswerMetadata;
import io.memorygateway.format.answer.AnswerReplay;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.translation.Answer;
import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.Piece;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Rebuilds answers of the fourth format. */
final class FourthReplay implements AnswerReplay {
  @Override
  public String metadata(byte[] jsonAnswer, boolean logprobs) {
    return metadata(FourthAnswers.read(AnswerMetadata.parse(jsonAnswer), new CallIds()));
  }

  static String metadata(Answer answer) {
    return new JsonObject()
        .string("key", answer.id())
        .string("model", answer.model())
        .string("why", answer.stop().name())
        .raw("usage", FourthAnswers.usage(answer.usage()))
        .toString();
  }

  @Override
  public byte[] body(Answered answered) {
    Answer answer = answer(answered);
    List<String> lines = lines(answer);
    return new JsonObject()
        .string("model", answer.model())
        .raw("output", "[" + String.join(",", lines) + "]")
        .raw("usage", FourthAnswers.usage(answer.usage()))
        .toBytes();
  }

  @Override
  public void stream(Answered answered, OutputStream out) throws IOException {
    for (String line : lines(answer(answered))) {
      out.write(("data: " + line + "\n\n").getBytes(UTF_8));
    }
  }

  private static List<String> lines(Answer answer) {
    List<String> lines = new ArrayList<>();
    for (AnswerEvent event : answer.events()) {
      String line = FourthAnswers.line(event, answer.model(), UnaryOperator.identity());
      if (!line.isEmpty()) {
        lines.add(line);
      }
    }
    return lines;
  }

  private static Answer answer(Answered answered) {
    JsonValue known = JsonValue.of(answered.metadata());
    List<Piece> pieces = new ArrayList<>();
    answered.messages().stream()
        .flatMap(message -> message.utterance().parts().stream())
        .forEach(
            part -> {
              if (part instanceof Part.ToolCall call) {
                pieces.add(new Piece.Call(call.id(), call.name(), call.arguments()));
              } else {
                pieces.add(new Piece.Text(Part.textOf(List.of(part)), List.of()));
              }
            });
    return new Answer(
        known.text("key"),
        known.text("model"),
        0,
        pieces,
        known.text("why").isEmpty() ? Stop.END : Stop.valueOf(known.text("why")),
        null,
        new Usage(FourthAnswers.USAGE.read(known.get("usage"))));
  }
}
