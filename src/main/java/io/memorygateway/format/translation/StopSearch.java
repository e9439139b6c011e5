package io.memorygateway.format.translation;

import io.memorygateway.json.JsonValue;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Leaves out of an answer what stands from the first of the caller's stops on, for a target that
 * does not take them. Of a text, what may be the beginning of a stop is held until more came. The
 * target's answer is read to its end, which says what it used. Behind the first call of a tool
 * nothing is looked for, as the call is what is to be done.
 */
final class StopSearch {
  /** Stops that are looked for, and characters of each: so the search takes no longer. */
  private static final int MAX_STOPS = 16;

  private static final int MAX_LENGTH = 100;

  private final List<String> stops;
  private final StringBuilder held = new StringBuilder();

  /** Citations that came behind text that is held. */
  private final Deque<Waiting> cited = new ArrayDeque<>();

  private int piece;

  /** Characters of the piece that were given. */
  private int given;

  private boolean called;
  private @Nullable String found;

  /**
   * A citation that waits for the text before it.
   *
   * @param behind the characters of that
   */
  private record Waiting(int behind, AnswerEvent.Cited cited) {}

  private StopSearch(List<String> stops) {
    this.stops = stops;
  }

  /** Whether these may be looked for. */
  static boolean canFind(List<String> stops) {
    return stops.size() <= MAX_STOPS
        && stops.stream().allMatch(stop -> !stop.isEmpty() && stop.length() <= MAX_LENGTH);
  }

  /** The reader of a stream. */
  static AnswerReader in(AnswerReader reader, List<String> stops) {
    if (stops.isEmpty()) {
      return reader;
    }
    StopSearch search = new StopSearch(stops);
    return new AnswerReader() {
      @Override
      public void read(String name, JsonValue data, Consumer<AnswerEvent> events) {
        reader.read(name, data, event -> search.take(event, events));
      }

      @Override
      public void done(Consumer<AnswerEvent> events) {
        reader.done(event -> search.take(event, events));
      }

      @Override
      public void end(Consumer<AnswerEvent> events) {
        reader.end(event -> search.take(event, events));
      }

      @Override
      public boolean isHolding() {
        return reader.isHolding() || !search.cited.isEmpty();
      }

      @Override
      public void breakOff(Consumer<AnswerEvent> events) {
        search.give(search.held.length(), events);
      }
    };
  }

  /** A whole answer up to the first stop. */
  static Answer in(Answer answer, List<String> stops) {
    if (stops.isEmpty()) {
      return answer;
    }
    Gathered whole = new Gathered();
    StopSearch search = new StopSearch(stops);
    answer.events().forEach(event -> search.take(event, whole));
    return whole.answer();
  }

  private void take(AnswerEvent event, Consumer<AnswerEvent> events) {
    if (found != null) {
      if (event instanceof AnswerEvent.Finish finish) {
        events.accept(new AnswerEvent.Finish(Stop.SEQUENCE, found, finish.usage()));
      } else if (event instanceof AnswerEvent.Cited late) {
        cite(late, events);
      } else if (event instanceof AnswerEvent.End || event instanceof AnswerEvent.Fail) {
        events.accept(event);
      }
      return;
    }
    called |= event instanceof AnswerEvent.Call;
    if (event instanceof AnswerEvent.Text text && !called) {
      if (text.piece() != piece) {
        give(held.length(), events);
        given = 0;
      }
      piece = text.piece();
      held.append(text.delta());
      search(events);
    } else if (event instanceof AnswerEvent.Cited late
        && late.piece() == piece
        && !held.isEmpty()) {
      cited.add(new Waiting(given + held.length(), late));
    } else {
      give(held.length(), events);
      events.accept(event);
    }
  }

  private void search(Consumer<AnswerEvent> events) {
    int first = held.length();
    for (String each : stops) {
      int at = held.indexOf(each);
      if (at >= 0 && at < first) {
        first = at;
        found = each;
      }
    }
    give(found == null ? held.length() - begun() : first, events);
    if (found != null) {
      held.setLength(0);
      cited.forEach(waiting -> cite(waiting.cited, events));
      cited.clear();
    }
  }

  /** Gives a citation of the piece with the stop, as far as it is of what stands before that. */
  private void cite(AnswerEvent.Cited late, Consumer<AnswerEvent> events) {
    Piece.Citation of = late.citation();
    if (late.piece() == piece && given > 0 && of.start() < given) {
      events.accept(
          new AnswerEvent.Cited(
              piece,
              new Piece.Citation(
                  of.url(), of.title(), of.quoted(), of.start(), Math.min(of.end(), given))));
    }
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
      events.accept(new AnswerEvent.Text(piece, held.substring(0, characters)));
      held.delete(0, characters);
      given += characters;
    }
    while (!cited.isEmpty() && cited.element().behind <= given) {
      events.accept(cited.remove().cited);
    }
  }
}
