package io.memorygateway.format.translation;

import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** A random answer as the events of its stream, with what it says. */
final class GeneratedAnswer {
  private static final String[] SCRIPTS = {"one ", "größer", "漢字", "😀", "\"\\\n", "{\"", "data: "};

  final List<AnswerEvent> events = new ArrayList<>();
  final List<Piece> pieces = new ArrayList<>();
  final Stop stop;
  final Usage usage;
  private final Random random;

  GeneratedAnswer(Random random) {
    this.random = random;
    int cached = random.nextInt(50);
    usage = TestUsage.of(60 + cached, cached, -1, 20 + random.nextInt(9), random.nextInt(10));
    events.add(new AnswerEvent.Start("id_" + random.nextInt(999), "model", 9, Usage.NONE));
    List<List<AnswerEvent>> open = new ArrayList<>();
    List<List<AnswerEvent>> all = new ArrayList<>();
    Set<List<AnswerEvent>> calling = Collections.newSetFromMap(new IdentityHashMap<>());
    boolean refused = random.nextInt(8) == 0;
    int count = random.nextInt(6);
    boolean calls = false;
    for (int at = 0; at < count; at++) {
      int kind = refused ? 1 : random.nextInt(4);
      if (kind == 0) {
        all.add(thought(at));
      } else if (kind == 1) {
        all.add(text(at, refused));
      } else {
        calls = true;
        all.add(call(at));
        calling.add(all.get(at));
      }
    }
    stop =
        calls
            ? Stop.TOOLS
            : refused && count > 0 ? Stop.REFUSAL : random.nextBoolean() ? Stop.END : Stop.LENGTH;
    int begun = 0;
    while (begun < all.size() || !open.isEmpty()) {
      boolean call = begun < all.size() && all.get(begun).get(0) instanceof AnswerEvent.Call;
      boolean others = open.stream().anyMatch(piece -> !calling.contains(piece));
      boolean begins = begun < all.size() && (open.isEmpty() || call || !others);
      if (begins && (open.isEmpty() || random.nextInt(3) == 0)) {
        open.add(all.get(begun++));
        events.add(open.get(open.size() - 1).remove(0));
        open.removeIf(List::isEmpty);
      } else {
        List<AnswerEvent> piece = open.get(random.nextInt(open.size()));
        events.add(piece.remove(0));
        open.removeIf(List::isEmpty);
      }
    }
    events.add(new AnswerEvent.Finish(stop, null, usage));
    events.add(new AnswerEvent.End());
  }

  private List<AnswerEvent> thought(int at) {
    List<AnswerEvent> events = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(4); i >= 0; i--) {
      String delta = SCRIPTS[random.nextInt(SCRIPTS.length)];
      text.append(delta);
      events.add(new AnswerEvent.Thought(at, delta));
    }
    events.add(new AnswerEvent.Close(at));
    pieces.add(new Piece.Thought(text.toString(), null));
    return events;
  }

  private List<AnswerEvent> text(int at, boolean refused) {
    List<AnswerEvent> events = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(6); i >= 0; i--) {
      String delta = SCRIPTS[random.nextInt(SCRIPTS.length)];
      text.append(delta);
      events.add(refused ? new AnswerEvent.Refusal(at, delta) : new AnswerEvent.Text(at, delta));
    }
    events.add(new AnswerEvent.Close(at));
    pieces.add(
        refused ? new Piece.Refusal(text.toString()) : new Piece.Text(text.toString(), List.of()));
    return events;
  }

  private List<AnswerEvent> call(int at) {
    List<AnswerEvent> events = new ArrayList<>();
    String id = "call_" + at + "_" + random.nextInt(1000);
    events.add(new AnswerEvent.Call(at, id, "f" + random.nextInt(3)));
    String arguments =
        random.nextInt(5) == 0
            ? "{}"
            : "{\"a\":[1,2.0],\"t\":"
                + JsonWriter.quote(SCRIPTS[random.nextInt(SCRIPTS.length)])
                + "}";
    for (int from = 0; from < arguments.length(); ) {
      int to = Math.min(arguments.length(), from + 1 + random.nextInt(9));
      if (to < arguments.length() && Character.isLowSurrogate(arguments.charAt(to))) {
        to++;
      }
      events.add(new AnswerEvent.Arguments(at, arguments.substring(from, to)));
      from = to;
    }
    events.add(new AnswerEvent.Close(at));
    pieces.add(new Piece.Call(id, ((AnswerEvent.Call) events.get(0)).name(), arguments));
    return events;
  }

  /** The whole answer. */
  Answer whole() {
    return new Answer("id_1", "model", 9, pieces, stop, null, usage);
  }
}
