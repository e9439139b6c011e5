package io.memorygateway.format.messages;

import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.AnswerWriter;
import io.memorygateway.format.translation.Called;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes one streamed Messages answer, in which one block is open at a time. A text or a thought
 * makes room for the piece that begins after it, and goes on in a block of its own if more of it
 * comes; while a call is open, the pieces that begin are held back.
 */
final class MessagesEventWriter implements AnswerWriter {
  private static final int BEGUN = 1;
  private static final int FINISHED = 2;
  private static final int ENDED = 3;

  private static final String DELTA =
      "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":";

  private enum Kind {
    TEXT("text_delta\",\"text\":"),
    THINKING("thinking_delta\",\"thinking\":"),
    CALL("input_json_delta\",\"partial_json\":");

    private final String delta;

    Kind(String delta) {
      this.delta = delta;
    }
  }

  private static final class Block {
    private final int piece;
    private final Kind kind;
    private final String id;
    private final String name;
    private final ShownArguments arguments = new ShownArguments();
    private final StringBuilder text = new StringBuilder();
    private final List<String> citations = new ArrayList<>();

    /** What each event with more of it begins with, once it is open. */
    private String begin = "";

    private @Nullable String signature;
    private boolean closed;

    Block(int piece, Kind kind, String id, String name) {
      this.piece = piece;
      this.kind = kind;
      this.id = id;
      this.name = name;
    }
  }

  private final Called called;
  private final boolean omitsThinking;

  /** All that was said, to be counted if the target does not say how much it was. */
  private final StringBuilder said = new StringBuilder();

  /** By piece, those that wait for the open block, in the order in which they began. */
  private final Map<Integer, Block> waiting = new LinkedHashMap<>();

  /**
   * Thoughts without words, which are shown before what follows them and not behind the last text:
   * clients show what the last block says.
   */
  private final List<Block> unsaid = new ArrayList<>();

  private final Map<Integer, StringBuilder> texts = new HashMap<>();
  private @Nullable Block open;
  private int index = -1;
  private int state;
  private boolean calls;
  private @Nullable StringBuilder refusal;
  private long input;

  MessagesEventWriter(Called called) {
    this.called = called;
    this.omitsThinking = MessagesAnswers.omitsThinking(called);
  }

  @Override
  public void write(AnswerEvent event, JsonWriter out) {
    if (state == ENDED) {
      return;
    }
    if (event instanceof AnswerEvent.Fail fail) {
      fail(fail.fault(), out);
    } else if (event instanceof AnswerEvent.End) {
      end(out);
    } else if (state == 0) {
      begin(
          event instanceof AnswerEvent.Start start
              ? start
              : new AnswerEvent.Start("", "", 0, Usage.NONE),
          out);
      write(event, out);
    } else if (event instanceof AnswerEvent.Finish finish) {
      finish(finish, out);
    } else if (state == BEGUN) {
      writePiece(event, out);
    }
  }

  private void writePiece(AnswerEvent event, JsonWriter out) {
    if (event instanceof AnswerEvent.Text text) {
      say(text.piece(), Kind.TEXT, text.delta(), out);
    } else if (event instanceof AnswerEvent.Refusal words) {
      refusal = refusal == null ? new StringBuilder() : refusal;
      refusal.append(words.delta());
      say(words.piece(), Kind.TEXT, words.delta(), out);
    } else if (event instanceof AnswerEvent.Thought thought) {
      say(thought.piece(), Kind.THINKING, thought.delta(), out);
    } else if (event instanceof AnswerEvent.Sealed sealed) {
      Block block = known(sealed.piece(), Kind.THINKING);
      if (block == null) {
        block = new Block(sealed.piece(), Kind.THINKING, "", "");
        block.closed = true;
        unsaid.add(block);
      }
      block.signature = sealed.seal().text();
    } else if (event instanceof AnswerEvent.Cited cited) {
      Block block = block(cited.piece(), Kind.TEXT, out);
      block.citations.add(MessagesAnswers.citation(cited.citation(), words(cited.piece())));
      show(block, out);
    } else if (event instanceof AnswerEvent.Call call) {
      begin(new Block(call.piece(), Kind.CALL, call.id(), call.name()), out);
    } else if (event instanceof AnswerEvent.Arguments arguments) {
      addArguments(arguments, out);
    } else if (event instanceof AnswerEvent.Close close) {
      texts.remove(close.piece());
      close(close.piece(), out);
    }
  }

  private void begin(AnswerEvent.Start start, JsonWriter out) {
    state = BEGUN;
    Usage known = start.usage();
    input = known.input() >= 0 ? known.input() : called.input().getAsLong();
    begin("message_start", out).ascii(",\"message\":{");
    MessagesAnswers.head(start.id(), start.model(), called, out);
    out.ascii(",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":");
    MessagesAnswers.usage(known.or(input, 0), out);
    out.ascii("}}\n\n");
  }

  private void say(int piece, Kind kind, String delta, JsonWriter out) {
    said.append(delta);
    if (!delta.isEmpty() && !(omitsThinking && kind == Kind.THINKING)) {
      Block block = block(piece, kind, out);
      if (kind == Kind.TEXT) {
        words(piece).append(delta);
      }
      if (block == open) {
        writeDelta(block, delta, out);
      } else {
        block.text.append(delta);
      }
    }
  }

  /** All of a text so far, which may be cited. */
  private StringBuilder words(int piece) {
    return texts.computeIfAbsent(piece, begun -> new StringBuilder());
  }

  private void addArguments(AnswerEvent.Arguments more, JsonWriter out) {
    said.append(more.delta());
    boolean isOpen = open != null && open.piece == more.piece();
    Block block = isOpen ? open : waiting.get(more.piece());
    if (block != null && block.kind == Kind.CALL && !block.closed) {
      block.text.append(block.arguments.add(more.delta()));
      show(block, out);
    }
  }

  /** The block of a piece, begun if it is not there. */
  private Block block(int piece, Kind kind, JsonWriter out) {
    Block known = known(piece, kind);
    if (known != null) {
      return known;
    }
    Block block = new Block(piece, kind, "", "");
    begin(block, out);
    return block;
  }

  private @Nullable Block known(int piece, Kind kind) {
    Block known = open != null && open.piece == piece ? open : waiting.get(piece);
    return known != null && known.kind == kind ? known : null;
  }

  private void begin(Block block, JsonWriter out) {
    showUnsaid(out);
    place(block, out);
  }

  private void showUnsaid(JsonWriter out) {
    unsaid.forEach(thought -> place(thought, out));
    unsaid.clear();
  }

  /** Starts a block behind the open one, unless it has to wait for it. */
  private void place(Block block, JsonWriter out) {
    Block before = open;
    if (before != null && before.kind == Kind.CALL) {
      waiting.putIfAbsent(block.piece, block);
      return;
    }
    if (before != null) {
      stop(before, false, out);
    }
    start(block, out);
  }

  private void close(int piece, JsonWriter out) {
    Block block = open;
    if (block == null || block.piece != piece) {
      block = waiting.get(piece);
      if (block != null) {
        block.closed = true;
      }
      return;
    }
    stop(block, false, out);
    showWaiting(false, out);
  }

  /** Shows what was held back, up to a call that is not whole yet, or all. */
  private void showWaiting(boolean all, JsonWriter out) {
    Iterator<Block> next = waiting.values().iterator();
    while (next.hasNext() && (all || open == null || open.kind != Kind.CALL)) {
      if (open != null) {
        stop(open, false, out);
      }
      Block block = next.next();
      next.remove();
      start(block, out);
      show(block, out);
      if (block.closed) {
        stop(block, false, out);
      }
    }
  }

  private void finish(AnswerEvent.Finish finish, JsonWriter out) {
    boolean cut = finish.stop() == Stop.LENGTH;
    showWaiting(true, out);
    if (open != null) {
      stop(open, cut, out);
    }
    if (index < 0 || (calls && !cut)) {
      showUnsaid(out);
    }
    if (open != null) {
      stop(open, false, out);
    }
    state = FINISHED;
    Usage usage = finish.usage();
    if (!usage.isKnown()) {
      usage = usage.or(input, usage.output() < 0 ? called.count().applyAsLong(said.toString()) : 0);
    }
    begin("message_delta", out).ascii(",\"delta\":{");
    MessagesAnswers.stop(
        finish.stop(),
        finish.stopSequence(),
        calls,
        refusal == null ? null : refusal.toString(),
        out);
    out.ascii("},\"usage\":");
    MessagesAnswers.usage(usage, out);
    out.ascii("}\n\n");
  }

  private void end(JsonWriter out) {
    if (state == FINISHED) {
      state = ENDED;
      begin("message_stop", out).ascii("}\n\n");
    } else {
      fail(Fault.broken("The upstream's answer is not whole."), out);
    }
  }

  private void fail(Fault fault, JsonWriter out) {
    state = ENDED;
    out.ascii("event: error\ndata: ").raw(MessagesErrors.body(fault)).ascii("\n\n");
  }

  private void start(Block block, JsonWriter out) {
    open = block;
    index++;
    block.begin = delta(block.kind.delta);
    begin("content_block_start", out).ascii(",\"index\":").number(index);
    out.ascii(",\"content_block\":{\"type\":");
    switch (block.kind) {
      case TEXT -> out.ascii("\"text\",\"text\":\"\"");
      case THINKING -> out.ascii("\"thinking\",\"thinking\":\"\",\"signature\":\"\"");
      case CALL -> {
        calls = true;
        out.ascii("\"tool_use\",\"id\":")
            .string(block.id)
            .ascii(",\"name\":")
            .string(called.names().called(block.name))
            .ascii(",\"input\":{}");
      }
    }
    out.ascii("}}\n\n");
  }

  /** Shows what waits of the open block. */
  private void show(Block block, JsonWriter out) {
    if (block != open) {
      return;
    }
    if (!block.text.isEmpty()) {
      writeDelta(block, block.text.toString(), out);
      block.text.setLength(0);
    }
    for (String citation : block.citations) {
      out.ascii(delta("citations_delta\",\"citation\":")).raw(citation).ascii("}}\n\n");
    }
    block.citations.clear();
  }

  private void stop(Block block, boolean cut, JsonWriter out) {
    if (block.kind == Kind.CALL) {
      block.text.append(block.arguments.end(cut));
      show(block, out);
    }
    if (block.signature != null) {
      String begin = delta("signature_delta\",\"signature\":");
      out.ascii(begin).string(block.signature).ascii("}}\n\n");
    }
    begin("content_block_stop", out).ascii(",\"index\":").number(index).ascii("}\n\n");
    open = null;
  }

  private static void writeDelta(Block block, String text, JsonWriter out) {
    out.ascii(block.begin).string(text).ascii("}}\n\n");
  }

  /** The beginning of an event with a delta of the open block. */
  private String delta(String type) {
    return DELTA + index + ",\"delta\":{\"type\":\"" + type;
  }

  private static JsonWriter begin(String type, JsonWriter out) {
    return out.ascii("event: ").ascii(type).ascii("\ndata: {\"type\":\"").ascii(type).ascii("\"");
  }
}
