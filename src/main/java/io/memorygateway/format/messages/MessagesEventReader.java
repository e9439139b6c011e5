package io.memorygateway.format.messages;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.format.answer.UpstreamError;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.AnswerReader;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Piece;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.json.ParseOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads one streamed Messages answer. A block is told by its index; what comes of it in the wrong
 * order is taken as far as it can be meant.
 */
final class MessagesEventReader implements AnswerReader {
  private static final JsonValue NOTHING = JsonValue.of("{}");
  private static final Fault NAMELESS = Fault.broken("The upstream called a tool without a name.");

  private enum Kind {
    TEXT,
    THINKING,
    CALL,
    /** Of a tool of the provider, or unknown. */
    OTHER
  }

  private static final class Block {
    private final Kind kind;

    /** Its number once something of it was given; negative before. */
    private int piece = -1;

    /** The thought, or the arguments of the call, as far as they have come. */
    private final StringBuilder text = new StringBuilder();

    private final StringBuilder signature = new StringBuilder();
    private final List<JsonValue> citations = new ArrayList<>();

    /** Characters of a text; of a call, those that were looked at. */
    private int length;

    /** The start of a thought or call; null if it has not come. */
    private @Nullable JsonValue start;

    private boolean hasDeltas;
    private boolean closed;

    Block(Kind kind) {
      this.kind = kind;
    }

    /** Whether a delta of a kind that comes behind the end of this is another block's. */
    boolean mayGoOnAs(Kind delta) {
      return closed && (kind == Kind.TEXT || (kind == delta && kind != Kind.CALL));
    }
  }

  private final String maker;
  private final MessagesUsage tokens = new MessagesUsage();
  private final Map<Integer, Block> blocks = new LinkedHashMap<>();
  private final CallIds ids;

  /**
   * A thought whose end has come and whose signature has not, or a call without arguments, which
   * may have been cut off: the next event tells.
   */
  private @Nullable Block waiting;

  private int pieces;
  private int last = -1;
  private int unnumbered = -1;
  private boolean started;
  private boolean ended;
  private String reason = "";
  private @Nullable String sequence;
  private @Nullable String explained;

  /** Whether the limit of the output ended the answer. */
  private boolean cut;

  /** The id of the message that has begun. */
  private String id = "";

  MessagesEventReader(String maker, CallIds ids) {
    this.maker = maker;
    this.ids = ids;
  }

  @Override
  public void read(String name, JsonValue data, Consumer<AnswerEvent> events) {
    String type = data.text("type");
    if (ended) {
      return;
    }
    boolean isError = name.isEmpty() ? UpstreamError.isReportedBy(data) : data.get("error") != null;
    if (name.equals("error") || (type.isEmpty() && isError)) {
      type = "error";
    }
    switch (type.isEmpty() ? name : type) {
      case "message_start" -> {
        JsonValue message = data.at("message");
        begin(message, events);
        int index = 0;
        for (JsonValue block : MessagesAnswers.begun(message)) {
          start(index++, block, events);
        }
      }
      case "content_block_start" -> {
        begin(NOTHING, events);
        JsonValue start = data.get("content_block");
        if (start != null) {
          start(data.index("index"), start, events);
        }
      }
      case "content_block_delta" -> add(data, events);
      case "content_block_stop" -> {
        int index = data.index("index");
        Block block = blocks.get(index < 0 ? last : index);
        if (block != null) {
          stop(block, false, events);
        }
      }
      case "message_delta" -> {
        JsonValue delta = data.at("delta");
        if (!delta.text("stop_reason").isEmpty()) {
          reason = delta.text("stop_reason");
          sequence = delta.string("stop_sequence");
          explained = MessagesAnswers.explained(delta);
        }
        tokens.read(data.get("usage"));
      }
      case "message_stop" -> finish(events);
      case "error" -> fail(MessagesErrors.of(data), events);
      default -> {}
    }
  }

  @Override
  public void end(Consumer<AnswerEvent> events) {
    if (!ended) {
      fail(Fault.broken("The upstream closed the stream before its answer was whole."), events);
    }
  }

  private void fail(Fault fault, Consumer<AnswerEvent> events) {
    ended = true;
    events.accept(new AnswerEvent.Fail(fault));
  }

  private void begin(JsonValue message, Consumer<AnswerEvent> events) {
    tokens.read(message.get("usage"));
    String named = message.text("id");
    if (!named.isEmpty()) {
      boolean anew = !id.isEmpty() && !named.equals(id);
      id = named;
      if (anew && pieces > 0) {
        fail(Fault.broken("The upstream began its answer anew."), events);
      } else if (anew) {
        blocks.clear();
      }
    }
    if (!started) {
      started = true;
      events.accept(
          new AnswerEvent.Start(named, message.text("model"), 0, new Usage(tokens.usage())));
    }
  }

  private void start(int index, JsonValue start, Consumer<AnswerEvent> events) {
    if (ended) {
      return;
    }
    endWaiting(null, events);
    Kind kind = kind(MessagesAnswers.kindOf(start));
    last = index < 0 ? --unnumbered : index;
    Block known = blocks.get(last);
    boolean again = known != null && known.kind == kind && isAgain(known, start);
    if (known != null && !again) {
      if (known.kind == Kind.CALL && known.piece < 0) {
        fail(NAMELESS, events);
        return;
      }
      stop(known, true, events);
    }
    Block block = again && known != null ? known : new Block(kind);
    blocks.put(last, block);
    if (kind == Kind.CALL) {
      call(block, start, events);
    } else if (!again) {
      block.start = start;
      addText(block, start.text(kind == Kind.TEXT ? "text" : "thinking"), events);
      block.signature.append(start.text("signature"));
      block.citations.addAll(start.at("citations").items());
    }
  }

  private static Kind kind(String type) {
    return switch (type) {
      case "text" -> Kind.TEXT;
      case "thinking", "redacted_thinking" -> Kind.THINKING;
      case "tool_use" -> Kind.CALL;
      default -> Kind.OTHER;
    };
  }

  /** Whether a start is of a block that has begun: a call of another id is another one. */
  private static boolean isAgain(Block known, JsonValue start) {
    String id = known.start == null ? "" : known.start.text("id");
    boolean same = !id.isEmpty() && id.equals(start.text("id"));
    boolean another =
        known.kind == Kind.CALL && !same && !id.isEmpty() && !start.text("id").isEmpty();
    return same || (!known.closed && !another);
  }

  /** Begins a call once its name is known, with the arguments that have come before. */
  private void call(Block block, JsonValue start, Consumer<AnswerEvent> events) {
    String name = start.text("name");
    if (block.piece < 0 && !name.isEmpty()) {
      block.start = start;
      block.piece = pieces++;
      String id = ids.next(start.text("id"));
      events.accept(new AnswerEvent.Call(block.piece, id, name));
      if (!block.text.isEmpty()) {
        events.accept(new AnswerEvent.Arguments(block.piece, block.text.toString()));
      }
    }
  }

  private void add(JsonValue data, Consumer<AnswerEvent> events) {
    JsonValue delta = data.at("delta");
    int index = data.index("index");
    int at = index < 0 ? last : index;
    Kind kind = ofDelta(MessagesAnswers.typeOf(delta));
    if (kind == Kind.OTHER) {
      return;
    }
    begin(NOTHING, events);
    Block block = blocks.get(at);
    if (block != null && block.kind != kind && kind != Kind.CALL) {
      at += Integer.MIN_VALUE; // a block of its own
      block = blocks.get(at);
    }
    endWaiting(block, events);
    boolean late = block != null && block.mayGoOnAs(kind);
    if (block == null || (late && delta.get("signature") == null)) {
      block = new Block(kind);
      blocks.put(at, block);
    }
    if (block.kind != kind || block.closed) {
      return;
    }
    block.hasDeltas = true;
    JsonValue citation = delta.get("citation");
    if (kind == Kind.CALL) {
      String more = delta.said("partial_json");
      block.text.append(more);
      if (block.piece >= 0 && !more.isEmpty()) {
        events.accept(new AnswerEvent.Arguments(block.piece, more));
      }
    } else if (citation != null) {
      block.citations.add(citation);
    } else {
      if (!delta.text("signature").isEmpty()) {
        block.signature.setLength(0);
        block.signature.append(delta.text("signature"));
      }
      addText(block, delta.text(kind == Kind.TEXT ? "text" : "thinking"), events);
    }
  }

  private static Kind ofDelta(String type) {
    return switch (type) {
      case "text_delta", "citations_delta" -> Kind.TEXT;
      case "thinking_delta", "signature_delta" -> Kind.THINKING;
      case "input_json_delta" -> Kind.CALL;
      default -> Kind.OTHER;
    };
  }

  private void addText(Block block, String more, Consumer<AnswerEvent> events) {
    if (more.isEmpty() || block.kind == Kind.OTHER) {
      return;
    }
    block.piece = block.piece < 0 ? pieces++ : block.piece;
    if (block.kind == Kind.TEXT) {
      block.length += more.length();
      events.accept(new AnswerEvent.Text(block.piece, more));
    } else {
      block.text.append(more);
      events.accept(new AnswerEvent.Thought(block.piece, more));
    }
  }

  /**
   * Takes the end of a block. A call whose arguments are not whole stays open for what comes late.
   *
   * @param last whether nothing more can come
   */
  private void stop(Block block, boolean last, Consumer<AnswerEvent> events) {
    if (block.closed) {
      return;
    }
    switch (block.kind) {
      case TEXT -> {
        for (JsonValue citation : block.citations) {
          Piece.Citation known = MessagesAnswers.citation(citation, block.length);
          if (known != null && block.piece >= 0) {
            events.accept(new AnswerEvent.Cited(block.piece, known));
          }
        }
      }
      case THINKING -> {
        boolean mayBeSigned = block.piece >= 0 && block.signature.isEmpty();
        if (!last && mayBeSigned) {
          waiting = block;
          return;
        }
        seal(block, events);
      }
      case CALL -> {
        JsonValue start = block.start == null ? NOTHING : block.start;
        String given = JsonValue.isEmpty(start.get("input")) ? "" : start.said("input");
        if (block.piece >= 0 && !block.hasDeltas && !given.isEmpty()) {
          block.text.append(given);
          block.hasDeltas = true;
          events.accept(new AnswerEvent.Arguments(block.piece, given));
        }
        boolean none = block.text.toString().isBlank();
        if (!last && none && block.hasDeltas) {
          waiting = block;
        }
        if ((!last || cut) && (none || block.piece < 0 || !isWhole(block))) {
          return;
        }
      }
      case OTHER -> {}
    }
    block.closed = true;
    if (block.piece >= 0) {
      events.accept(new AnswerEvent.Close(block.piece));
    }
  }

  /** Ends the block that waits for what comes next, unless more of it comes. */
  private void endWaiting(@Nullable Block next, Consumer<AnswerEvent> events) {
    Block block = waiting;
    if (block != null && block != next) {
      waiting = null;
      stop(block, true, events);
    }
  }

  /** Whether the arguments of a call are whole; they are looked at again once more has come. */
  private static boolean isWhole(Block block) {
    boolean more = block.hasDeltas && block.length <= block.text.length();
    block.length = block.text.length() + 1;
    String json = more ? block.text.toString() : "";
    return more && isJson(json);
  }

  private static boolean isJson(String text) {
    try {
      JsonValue.parse(text.getBytes(UTF_8), ParseOptions.LENIENT.withLevels(0));
      return true;
    } catch (MalformedJsonException e) {
      return false;
    }
  }

  private void seal(Block block, Consumer<AnswerEvent> events) {
    JsonValue start = block.start;
    String raw;
    if (start != null && !start.text("data").isEmpty()) {
      raw = start.raw();
    } else if (block.piece >= 0 || !block.signature.isEmpty()) {
      raw =
          new JsonObject(block.text.length() + 128)
              .string("type", "thinking")
              .string("thinking", block.text.toString())
              .string("signature", block.signature.toString())
              .toString();
    } else {
      return;
    }
    if (block.piece < 0) {
      block.piece = pieces++;
      events.accept(new AnswerEvent.Thought(block.piece, ""));
    }
    events.accept(new AnswerEvent.Sealed(block.piece, new Seal(maker, Shape.MESSAGES, raw)));
  }

  private void finish(Consumer<AnswerEvent> events) {
    begin(NOTHING, events);
    cut = MessagesAnswers.stop(reason, false) == Stop.LENGTH;
    boolean calls = false;
    for (Block block : blocks.values()) {
      if (block.kind == Kind.CALL && block.piece < 0) {
        fail(NAMELESS, events);
        return;
      }
      calls |= block.kind == Kind.CALL;
      stop(block, true, events);
    }
    Stop stop = reason.isEmpty() && !calls ? Stop.NONE : MessagesAnswers.stop(reason, calls);
    if (stop == Stop.REFUSAL && explained != null) {
      int piece = pieces++;
      events.accept(new AnswerEvent.Refusal(piece, explained));
      events.accept(new AnswerEvent.Close(piece));
    }
    ended = true;
    events.accept(new AnswerEvent.Finish(stop, sequence, new Usage(tokens.usage())));
    events.accept(new AnswerEvent.End());
  }
}
