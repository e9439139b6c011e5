package io.memorygateway.format.fourth;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.figures.Figures;
import io.memorygateway.format.answer.AnswerStream;
import io.memorygateway.format.answer.EventAssembler;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.translation.Answer;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.CountedStream;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Gathered;
import io.memorygateway.format.translation.Piece;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.sse.SseEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.ToLongFunction;

/** A stream of the fourth format, as it is watched, assembled and counted. */
final class FourthStream implements AnswerStream {
  private final Gathered said = new Gathered();
  private final FourthAnswers reader = new FourthAnswers(new CallIds());

  @Override
  public void accept(SseEvent event) {
    JsonValue line = event.startsEvent() ? event.json() : null;
    if (line != null) {
      reader.read("", line, said);
    }
  }

  @Override
  public boolean ended() {
    return said.hasEnded();
  }

  @Override
  public boolean failed() {
    return said.fault() != null;
  }

  @Override
  public Figures usage() {
    return said.soFar().usage().told().withModel(said.soFar().model());
  }

  @Override
  public byte[] errorEvent(String type, String message) {
    Fault fault = new Fault(502, type, message, null, false);
    return ("data: " + FourthAnswers.error(fault) + "\n\n").getBytes(UTF_8);
  }

  static List<StoredMessage> messages(Answer answer) {
    StringBuilder said = new StringBuilder();
    List<JsonValue> asks = new ArrayList<>();
    for (Piece piece : answer.pieces()) {
      if (piece instanceof Piece.Text text) {
        said.append(text.text());
      } else if (piece instanceof Piece.Refusal refusal) {
        said.append(refusal.text());
      } else if (piece instanceof Piece.Call call) {
        String ask = FourthMessages.ask(call.id(), call.name(), call.arguments());
        asks.add(JsonValue.of(ask));
      }
    }
    return said.isEmpty() && asks.isEmpty()
        ? List.of()
        : List.of(StoredMessage.of("assistant", FourthMessages.stored(said.toString(), asks)));
  }

  static final class Assembler extends EventAssembler {
    private final Gathered said = new Gathered();
    private final FourthAnswers reader = new FourthAnswers(new CallIds());

    Assembler(int maxBytes, LongPredicate heap) {
      super(maxBytes, heap);
    }

    @Override
    protected void read(String type, JsonValue line) {
      if (takes(line.text("more").length(), 1)) {
        reader.read("", line, said);
      }
    }

    @Override
    public List<StoredMessage> messages() {
      return FourthStream.messages(said.soFar());
    }

    @Override
    public String metadata() {
      return FourthReplay.metadata(said.soFar());
    }
  }

  static final class Counted implements CountedStream {
    private final ToLongFunction<String> tokens;
    private final FourthAnswers reader = new FourthAnswers(new CallIds());

    Counted(ToLongFunction<String> tokens) {
      this.tokens = tokens;
    }

    @Override
    public long read(String name, JsonValue data) {
      return CountedStream.tokens(reader, name, data, tokens);
    }

    @Override
    public void take(String name, JsonValue data, boolean keeps) {}

    @Override
    public byte[] end(Usage usage) {
      JsonObject line =
          new JsonObject()
              .string("kind", "end")
              .string("why", Stop.LENGTH.name())
              .raw("usage", FourthAnswers.usage(usage));
      return ("data: " + line + "\n\n").getBytes(UTF_8);
    }
  }
}
