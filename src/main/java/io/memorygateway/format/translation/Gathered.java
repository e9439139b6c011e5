package io.memorygateway.format.translation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A whole answer that is put together of the events of a stream. */
public final class Gathered implements Consumer<AnswerEvent> {
  private final List<Open> open = new ArrayList<>();
  private AnswerEvent.Start start = new AnswerEvent.Start("", "", 0, Usage.NONE);
  private AnswerEvent.Finish finish = new AnswerEvent.Finish(Stop.NONE, null, Usage.NONE);
  private @Nullable Fault fault;
  private boolean ended;

  /** A piece that is being put together. */
  private static final class Open {
    private final AnswerEvent begin;
    private final StringBuilder text = new StringBuilder();
    private final List<Piece.Citation> citations = new ArrayList<>();
    private final StringBuilder logprobs = new StringBuilder();
    private @Nullable Seal seal;
    private boolean closed;

    Open(AnswerEvent begin) {
      this.begin = begin;
    }

    Piece piece(Stop stop) {
      String said = text.toString();
      if (begin instanceof AnswerEvent.Call call) {
        boolean none = said.isBlank() && (closed || stop != Stop.LENGTH);
        return new Piece.Call(call.id(), call.name(), none ? "{}" : said);
      }
      if (begin instanceof AnswerEvent.Thought) {
        return new Piece.Thought(said, seal);
      }
      return begin instanceof AnswerEvent.Refusal
          ? new Piece.Refusal(said)
          : new Piece.Text(said, List.copyOf(citations), logprobs.toString());
    }
  }

  @Override
  public void accept(AnswerEvent event) {
    if (event.piece() == open.size()) {
      open.add(new Open(event));
    }
    if (event instanceof AnswerEvent.Start head) {
      start = head;
    } else if (event instanceof AnswerEvent.Sealed sealed) {
      open.get(sealed.piece()).seal = sealed.seal();
    } else if (event instanceof AnswerEvent.Cited cited) {
      open.get(cited.piece()).citations.add(cited.citation());
    } else if (event instanceof AnswerEvent.Finish end) {
      finish = end;
    } else if (event instanceof AnswerEvent.Fail fail) {
      fault = fail.fault();
    } else if (event.piece() >= 0) {
      Open said = open.get(event.piece());
      said.text.append(event.delta());
      said.closed |= event instanceof AnswerEvent.Close;
      if (event instanceof AnswerEvent.Text text && !text.logprobs().isEmpty()) {
        said.logprobs.append(said.logprobs.isEmpty() ? "" : ",").append(text.logprobs());
      }
    }
    ended |= event instanceof AnswerEvent.End || fault != null;
  }

  /** Whether nothing more comes. */
  public boolean hasEnded() {
    return ended;
  }

  /** Why there is no whole answer; null if none was said. */
  public @Nullable Fault fault() {
    return fault;
  }

  /** The answer, which says nothing if it failed. */
  public Answer answer() {
    return answer(fault == null);
  }

  /** What has come of the answer, also if it failed. */
  public Answer soFar() {
    return answer(true);
  }

  private Answer answer(boolean says) {
    return new Answer(
        start.id(),
        start.model(),
        start.created(),
        says ? open.stream().map(piece -> piece.piece(finish.stop())).toList() : List.of(),
        finish.stop(),
        finish.stopSequence(),
        finish.usage());
  }
}
