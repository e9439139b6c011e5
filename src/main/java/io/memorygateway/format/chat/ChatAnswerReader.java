package io.memorygateway.format.chat;

import io.memorygateway.format.translation.Answer;
import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.Piece;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a whole answer of Chat Completions as the one chunk of a stream. */
final class ChatAnswerReader {
  private final JsonValue answer;
  private final String maker;
  private final List<Open> open = new ArrayList<>();
  private AnswerEvent.Start start = new AnswerEvent.Start("", "", 0, Usage.NONE);
  private AnswerEvent.Finish finish = new AnswerEvent.Finish(Stop.END, null, Usage.NONE);

  /** A piece that is being put together. */
  private static final class Open {
    private final AnswerEvent begin;
    private final StringBuilder text = new StringBuilder();
    private final List<Piece.Citation> citations = new ArrayList<>();
    private String logprobs = "";
    private @Nullable Seal seal;

    Open(AnswerEvent begin) {
      this.begin = begin;
    }

    Piece piece() {
      String said = text.toString();
      if (begin instanceof AnswerEvent.Call call) {
        return new Piece.Call(call.id(), call.name(), said.isBlank() ? "{}" : said);
      }
      if (begin instanceof AnswerEvent.Thought) {
        return new Piece.Thought(said, seal);
      }
      return begin instanceof AnswerEvent.Refusal
          ? new Piece.Refusal(said)
          : new Piece.Text(said, List.copyOf(citations), logprobs);
    }
  }

  ChatAnswerReader(JsonValue answer, String maker) {
    this.answer = answer;
    this.maker = maker;
  }

  Answer read() {
    ChatEventReader reader = new ChatEventReader(maker);
    reader.read("", answer, this::take);
    reader.done(this::take);
    return new Answer(
        start.id(),
        start.model(),
        start.created(),
        open.stream().map(Open::piece).toList(),
        finish.stop(),
        finish.stopSequence(),
        finish.usage());
  }

  private void take(AnswerEvent event) {
    if (event instanceof AnswerEvent.Start head) {
      start = head;
    } else if (event instanceof AnswerEvent.Text text) {
      Open open = of(text.piece(), event);
      open.text.append(text.delta());
      open.logprobs += text.logprobs();
    } else if (event instanceof AnswerEvent.Refusal refusal) {
      of(refusal.piece(), event).text.append(refusal.delta());
    } else if (event instanceof AnswerEvent.Thought thought) {
      of(thought.piece(), event).text.append(thought.delta());
    } else if (event instanceof AnswerEvent.Sealed sealed) {
      of(sealed.piece(), event).seal = sealed.seal();
    } else if (event instanceof AnswerEvent.Cited cited) {
      of(cited.piece(), event).citations.add(cited.citation());
    } else if (event instanceof AnswerEvent.Call call) {
      of(call.piece(), event);
    } else if (event instanceof AnswerEvent.Arguments arguments) {
      of(arguments.piece(), event).text.append(arguments.delta());
    } else if (event instanceof AnswerEvent.Finish end) {
      finish = end;
    }
  }

  private Open of(int piece, AnswerEvent event) {
    if (piece == open.size()) {
      open.add(new Open(event));
    }
    return open.get(piece);
  }
}
