package io.memorygateway.format.translation;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A whole answer in no format's words.
 *
 * @param id that the target gave it; empty if it gave none
 * @param model as the target named it; empty if it did not
 * @param created seconds since 1970; 0 if the target does not say
 * @param stopSequence that ended it; null if none did, or the target does not say which
 */
public record Answer(
    String id,
    String model,
    long created,
    List<Piece> pieces,
    Stop stop,
    @Nullable String stopSequence,
    Usage usage) {
  /** Whether it is no answer: without a piece, a reason why it stopped, or tokens. */
  public boolean saysNothing() {
    return pieces.isEmpty() && stop == Stop.NONE && usage.isEmpty();
  }

  public List<AnswerEvent> events() {
    List<AnswerEvent> events = new ArrayList<>();
    events.add(new AnswerEvent.Start(id, model, created, usage));
    for (int i = 0; i < pieces.size(); i++) {
      int at = i;
      Piece piece = pieces.get(i);
      if (piece instanceof Piece.Text text) {
        events.add(new AnswerEvent.Text(at, text.text(), text.logprobs()));
        text.citations().forEach(citation -> events.add(new AnswerEvent.Cited(at, citation)));
      } else if (piece instanceof Piece.Refusal refusal) {
        events.add(new AnswerEvent.Refusal(at, refusal.text()));
      } else if (piece instanceof Piece.Thought thought) {
        events.add(new AnswerEvent.Thought(at, thought.text()));
        if (thought.seal() != null) {
          events.add(new AnswerEvent.Sealed(at, thought.seal()));
        }
      } else if (piece instanceof Piece.Call call) {
        events.add(new AnswerEvent.Call(at, call.id(), call.name()));
        events.add(new AnswerEvent.Arguments(at, call.arguments()));
      }
      if (!(piece instanceof Piece.Call call && call.isCut(stop))) {
        events.add(new AnswerEvent.Close(at));
      }
    }
    events.add(new AnswerEvent.Finish(stop, stopSequence, usage));
    events.add(new AnswerEvent.End());
    return events;
  }
}
