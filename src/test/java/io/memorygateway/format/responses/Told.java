package io.memorygateway.format.responses;

import io.memorygateway.format.translation.Answer;
import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Piece;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.Usage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What the events of an answer tell; it demands the order that {@link AnswerEvent} says. */
record Told(List<Piece> pieces, @Nullable Stop stop, Usage usage, @Nullable Fault fault) {
  private static final class Open {
    private String kind = "";
    private String id = "";
    private String name = "";
    private final StringBuilder text = new StringBuilder();
    private final List<Piece.Citation> citations = new ArrayList<>();
    private @Nullable Seal seal;
    private boolean closed;

    Piece piece() {
      return switch (kind) {
        case "Text" -> new Piece.Text(text.toString(), List.copyOf(citations));
        case "Refusal" -> new Piece.Refusal(text.toString());
        case "Thought" -> new Piece.Thought(text.toString(), seal);
        default -> new Piece.Call(id, name, text.toString());
      };
    }
  }

  static Told of(List<AnswerEvent> events) {
    TreeMap<Integer, Open> pieces = new TreeMap<>();
    Set<String> ids = new HashSet<>();
    Stop stop = null;
    Usage usage = Usage.NONE;
    Fault fault = null;
    boolean started = false;
    boolean ended = false;
    for (AnswerEvent event : events) {
      require(!ended, event + " stands behind the end");
      if (event instanceof AnswerEvent.Fail fail) {
        fault = fail.fault();
        ended = true;
      } else if (event instanceof AnswerEvent.Start) {
        require(!started, "a second start");
        started = true;
      } else if (event instanceof AnswerEvent.Finish finish) {
        require(started && stop == null, "a finish out of place");
        stop = finish.stop();
        usage = finish.usage();
      } else if (event instanceof AnswerEvent.End) {
        require(stop != null, "an end without a finish");
        ended = true;
      } else {
        require(started && stop == null, event + " is out of place");
        take(event, pieces, ids);
      }
    }
    require(ended, "no end");
    return new Told(pieces.values().stream().map(Open::piece).toList(), stop, usage, fault);
  }

  private static void take(AnswerEvent event, TreeMap<Integer, Open> pieces, Set<String> ids) {
    if (event instanceof AnswerEvent.Text text) {
      open(pieces, text.piece(), "Text", true).text.append(text.delta());
    } else if (event instanceof AnswerEvent.Refusal refusal) {
      open(pieces, refusal.piece(), "Refusal", true).text.append(refusal.delta());
    } else if (event instanceof AnswerEvent.Thought thought) {
      open(pieces, thought.piece(), "Thought", true).text.append(thought.delta());
    } else if (event instanceof AnswerEvent.Sealed sealed) {
      open(pieces, sealed.piece(), "Thought", true).seal = sealed.seal();
    } else if (event instanceof AnswerEvent.Cited cited) {
      open(pieces, cited.piece(), "Text", false).citations.add(cited.citation());
    } else if (event instanceof AnswerEvent.Call call) {
      require(!pieces.containsKey(call.piece()), "a call begins twice");
      require(ids.add(call.id()) && !call.id().isEmpty() && !call.name().isEmpty(), "" + call);
      Open open = open(pieces, call.piece(), "Call", true);
      open.id = call.id();
      open.name = call.name();
    } else if (event instanceof AnswerEvent.Arguments arguments) {
      open(pieces, arguments.piece(), "Call", false).text.append(arguments.delta());
    } else if (event instanceof AnswerEvent.Close close) {
      Open open = pieces.get(close.piece());
      require(open != null && !open.closed, "closes what is not open");
      open.closed = true;
    }
  }

  private static Open open(TreeMap<Integer, Open> pieces, int piece, String kind, boolean begins) {
    Open open = pieces.get(piece);
    if (open == null) {
      require(begins && piece == pieces.size(), "piece " + piece + " begins out of order");
      open = new Open();
      open.kind = kind;
      pieces.put(piece, open);
    }
    require(open.kind.equals(kind) && !open.closed, kind + " " + piece + " is closed or another");
    return open;
  }

  /** The answer without what only its head has. */
  Answer answer() {
    return new Answer("", "", 0, pieces, stop == null ? Stop.UNKNOWN : stop, null, usage);
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
