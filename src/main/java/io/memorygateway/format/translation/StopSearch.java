package io.memorygateway.format.translation;

import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.function.Consumer;

/**
 * A reader of an answer that ends it where the first of the caller's stops stands, for a target
 * that does not take them. Of a text, what may be the beginning of a stop is held until more came.
 */
final class StopSearch implements AnswerReader {
  /** Stops that are looked for, and characters of each: so the search takes no longer. */
  private static final int MAX_STOPS = 16;

  private static final int MAX_LENGTH = 100;

  private final AnswerReader reader;
  private final List<String> stops;
  private final Usage usage;
  private final StringBuilder held = new StringBuilder();
  private String logprobs = "";
  private int piece;
  private boolean found;

  private StopSearch(AnswerReader reader, List<String> stops, Usage usage) {
    this.reader = reader;
    this.stops = stops;
    this.usage = usage;
  }

  /** Whether these may be looked for. */
  static boolean canFind(List<String> stops) {
    return stops.size() <= MAX_STOPS
        && stops.stream().allMatch(stop -> !stop.isEmpty() && stop.length() <= MAX_LENGTH);
  }

  /** The reader of a stream, whose usage is not told any more where it is cut. */
  static AnswerReader in(AnswerReader reader, List<String> stops) {
    return stops.isEmpty() ? reader : new StopSearch(reader, stops, Usage.NONE);
  }

  /** A whole answer up to the first stop. */
  static Answer in(Answer answer, List<String> stops) {
    if (stops.isEmpty()) {
      return answer;
    }
    Gathered whole = new Gathered();
    AnswerReader events =
        new AnswerReader() {
          @Override
          public void read(String name, JsonValue data, Consumer<AnswerEvent> sink) {}

          @Override
          public void end(Consumer<AnswerEvent> sink) {
            answer.events().forEach(sink);
          }
        };
    new StopSearch(events, stops, answer.usage()).end(whole);
    return whole.answer();
  }

  @Override
  public void read(String name, JsonValue data, Consumer<AnswerEvent> events) {
    if (!found) {
      reader.read(name, data, event -> take(event, events));
    }
  }

  @Override
  public void done(Consumer<AnswerEvent> events) {
    if (!found) {
      reader.done(event -> take(event, events));
    }
  }

  @Override
  public void end(Consumer<AnswerEvent> events) {
    if (!found) {
      reader.end(event -> take(event, events));
    }
  }

  @Override
  public boolean isHolding() {
    return reader.isHolding();
  }

  @Override
  public boolean isCut() {
    return found;
  }

  private void take(AnswerEvent event, Consumer<AnswerEvent> events) {
    if (found) {
      return;
    }
    boolean goesOn = event instanceof AnswerEvent.Text && event.piece() == piece;
    if (!goesOn) {
      give(held.length(), events);
    }
    if (event instanceof AnswerEvent.Text text) {
      piece = text.piece();
      logprobs += (logprobs.isEmpty() || text.logprobs().isEmpty() ? "" : ",") + text.logprobs();
      held.append(text.delta());
      search(events);
    } else {
      events.accept(event);
    }
  }

  private void search(Consumer<AnswerEvent> events) {
    int first = held.length();
    String stop = null;
    for (String each : stops) {
      int at = held.indexOf(each);
      if (at >= 0 && (stop == null || at < first)) {
        first = at;
        stop = each;
      }
    }
    if (stop == null) {
      give(held.length() - begun(), events);
      return;
    }
    give(first, events);
    found = true;
    events.accept(new AnswerEvent.Finish(Stop.SEQUENCE, stop, usage));
    events.accept(new AnswerEvent.End());
  }

  /** The most characters at the end of what is held with which a stop may begin. */
  private int begun() {
    for (int length = Math.min(MAX_LENGTH, held.length()); length > 0; length--) {
      String end = held.substring(held.length() - length);
      if (stops.stream().anyMatch(stop -> stop.startsWith(end))) {
        return length;
      }
    }
    return 0;
  }

  /** Gives so many characters of what is held. */
  private void give(int characters, Consumer<AnswerEvent> events) {
    if (characters > 0) {
      events.accept(new AnswerEvent.Text(piece, held.substring(0, characters), logprobs));
      held.delete(0, characters);
      logprobs = "";
    }
  }
}
