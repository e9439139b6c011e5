package io.memorygateway.format.chat;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.translation.AnswerEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The order that {@link AnswerEvent} promises, held to what a reader gives. */
final class AnswerEventRules implements Consumer<AnswerEvent> {
  final List<AnswerEvent> events = new ArrayList<>();
  private final Map<Integer, Class<?>> open = new HashMap<>();
  private final Set<String> ids = new HashSet<>();
  private int begun;
  private boolean started;
  private boolean finished;
  private boolean ended;

  @Override
  public void accept(AnswerEvent event) {
    assertThat(ended).as("behind the end: " + event).isFalse();
    events.add(event);
    if (event instanceof AnswerEvent.Fail) {
      ended = true;
      return;
    }
    if (event instanceof AnswerEvent.End) {
      assertThat(finished).isTrue();
      ended = true;
      return;
    }
    assertThat(finished).as("behind the finish: " + event).isFalse();
    assertThat(event instanceof AnswerEvent.Start).isEqualTo(!started);
    started = true;
    if (event instanceof AnswerEvent.Text text) {
      goOn(text.piece(), AnswerEvent.Text.class);
    } else if (event instanceof AnswerEvent.Refusal refusal) {
      goOn(refusal.piece(), AnswerEvent.Refusal.class);
    } else if (event instanceof AnswerEvent.Thought thought) {
      goOn(thought.piece(), AnswerEvent.Thought.class);
    } else if (event instanceof AnswerEvent.Call call) {
      assertThat(call.piece()).isEqualTo(begun);
      assertThat(call.id()).isNotEmpty();
      assertThat(ids.add(call.id())).isTrue();
      assertThat(call.name()).isNotEmpty();
      goOn(call.piece(), AnswerEvent.Call.class);
    } else if (event instanceof AnswerEvent.Arguments more) {
      assertThat(open.get(more.piece())).isEqualTo(AnswerEvent.Call.class);
    } else if (event instanceof AnswerEvent.Sealed sealed) {
      assertThat(open.get(sealed.piece())).isEqualTo(AnswerEvent.Thought.class);
    } else if (event instanceof AnswerEvent.Cited cited) {
      assertThat(open.get(cited.piece())).isEqualTo(AnswerEvent.Text.class);
    } else if (event instanceof AnswerEvent.Close close) {
      assertThat(open.remove(close.piece())).isNotNull();
    } else if (event instanceof AnswerEvent.Finish) {
      finished = true;
    }
  }

  private void goOn(int piece, Class<?> kind) {
    if (piece == begun) {
      begun++;
      open.put(piece, kind);
    }
    assertThat(open.get(piece)).as("a piece that is open: " + piece).isEqualTo(kind);
  }

  void end() {
    assertThat(ended).isTrue();
  }
}
