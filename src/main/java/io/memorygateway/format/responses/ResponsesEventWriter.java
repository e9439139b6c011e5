package io.memorygateway.format.responses;

import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.AnswerWriter;
import io.memorygateway.format.translation.Called;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes one streamed answer as events of Responses. Texts that follow each other are parts of one
 * message. A call whose item needs its whole arguments is held back until it is whole.
 */
final class ResponsesEventWriter implements AnswerWriter {
  /** The number of the piece with which an answer is refused without words. */
  private static final int REFUSED = -1;

  private enum Kind {
    TEXT("response.output_text", "content_index"),
    REFUSAL("response.refusal", "content_index"),
    THOUGHT("response.reasoning_summary_text", "summary_index"),
    CALL("response.function_call_arguments", "");

    private final String event;
    private final String place;

    /** The beginning of an event with more of it, up to its number. */
    private final String delta;

    Kind(String event, String place) {
      this.event = event;
      this.place = place;
      this.delta = begin(event + ".delta");
    }
  }

  private static final class Open {
    private final Kind kind;
    private final StringBuilder text = new StringBuilder();
    private final List<String> annotations = new ArrayList<>();
    private final StringBuilder logprobs = new StringBuilder();
    private String callId = "";
    private String name = "";
    private @Nullable Seal seal;
    private @Nullable Message message;

    /** Index of its item; negative before that has begun. */
    private int item = -1;

    private int part;

    /** Whether its part has begun, or it has none. */
    private boolean begun;

    /** The members of its events that say where it is. */
    private String at = "";

    Open(Kind kind) {
      this.kind = kind;
    }
  }

  private static final class Message {
    private final int item;
    private final List<String> parts = new ArrayList<>();
    private int open;

    Message(int item) {
      this.item = item;
    }
  }

  private final Called called;
  private final Map<Integer, Open> pieces = new LinkedHashMap<>();

  /** Finished items by their index; empty for those that are open. */
  private final List<String> output = new ArrayList<>();

  /** Open messages; the last one takes the next text, while nothing else has begun since. */
  private final List<Message> messages = new ArrayList<>();

  private @Nullable Message last;
  private @Nullable ResponsesAnswer answer;
  private long number;
  private boolean refused;
  private boolean ended;

  ResponsesEventWriter(Called called) {
    this.called = called;
  }

  @Override
  public void write(AnswerEvent event, JsonWriter out) {
    if (ended) {
      return;
    }
    if (event instanceof AnswerEvent.Fail fail) {
      fail(fail.fault(), out);
      return;
    }
    ResponsesAnswer begun = begun(event, out);
    if (event instanceof AnswerEvent.Text text) {
      text(text.piece(), Kind.TEXT, text.delta(), text.logprobs(), begun, out);
    } else if (event instanceof AnswerEvent.Arguments arguments) {
      Open call = pieces.get(arguments.piece());
      if (call != null && call.kind == Kind.CALL) {
        add(call, arguments.delta(), out);
      }
    } else if (event instanceof AnswerEvent.Thought thought) {
      thought(thought, begun, out);
    } else if (event instanceof AnswerEvent.Call call) {
      call(call, begun, out);
    } else if (event instanceof AnswerEvent.Refusal refusal) {
      text(refusal.piece(), Kind.REFUSAL, refusal.delta(), "", begun, out);
    } else if (event instanceof AnswerEvent.Sealed sealed) {
      open(sealed.piece(), Kind.THOUGHT, begun, out).seal = sealed.seal();
    } else if (event instanceof AnswerEvent.Cited cited) {
      cite(cited, begun, out);
    } else if (event instanceof AnswerEvent.Close close) {
      Open piece = pieces.remove(close.piece());
      if (piece != null) {
        close(piece, true, begun, out);
      }
    } else if (event instanceof AnswerEvent.Finish finish) {
      finish(finish, begun, out);
    } else if (event instanceof AnswerEvent.End) {
      fail(Fault.broken("The upstream's answer ended before it was whole."), out);
    }
  }

  private ResponsesAnswer begun(AnswerEvent event, JsonWriter out) {
    ResponsesAnswer known = answer;
    if (known != null) {
      return known;
    }
    ResponsesAnswer begun =
        event instanceof AnswerEvent.Start start
            ? new ResponsesAnswer(called, start.id(), start.model(), start.created())
            : new ResponsesAnswer(called, "", "", 0);
    answer = begun;
    String response = begun.begun().toString();
    event("response.created", out).ascii(",\"response\":").raw(response).ascii("}\n\n");
    event("response.in_progress", out).ascii(",\"response\":").raw(response).ascii("}\n\n");
    return begun;
  }

  private JsonWriter event(String type, JsonWriter out) {
    return out.ascii(begin(type)).number(number++);
  }

  private static String begin(String type) {
    return "event: " + type + "\ndata: {\"type\":\"" + type + "\",\"sequence_number\":";
  }

  /** The open piece of this number and kind; a new one if there is none. */
  private Open open(int number, Kind kind, ResponsesAnswer begun, JsonWriter out) {
    Open open = pieces.get(number);
    if (open != null && open.kind == kind) {
      return open;
    }
    if (open != null) {
      close(open, true, begun, out);
    }
    Open piece = new Open(kind);
    pieces.put(number, piece);
    return piece;
  }

  private void text(
      int number, Kind kind, String delta, String logprobs, ResponsesAnswer begun, JsonWriter out) {
    if (!delta.isEmpty()) {
      Open piece = open(number, kind, begun, out);
      beginText(piece, begun, out);
      add(piece, delta, logprobs, out);
    }
  }

  private void beginText(Open piece, ResponsesAnswer begun, JsonWriter out) {
    if (piece.begun) {
      return;
    }
    refused |= piece.kind == Kind.REFUSAL;
    Message message = last;
    if (message == null) {
      message = new Message(output.size());
      last = message;
      messages.add(message);
      addItem(begun.message(message.item, "in_progress", List.of()), out);
    }
    piece.message = message;
    piece.item = message.item;
    piece.part = message.parts.size();
    message.parts.add("");
    message.open++;
    begin(piece, begun.messageId(message.item));
    event("response.content_part.added", out).ascii(piece.at).ascii(",\"part\":");
    out.raw(part(piece)).ascii("}\n\n");
  }

  private static String part(Open piece) {
    String text = piece.text.toString();
    return piece.kind == Kind.TEXT
        ? ResponsesAnswer.textPart(text, piece.annotations, piece.logprobs.toString())
        : ResponsesAnswer.refusalPart(text);
  }

  private static void begin(Open piece, String id) {
    String place = piece.kind.place;
    piece.begun = true;
    piece.at =
        ",\"item_id\":"
            + JsonWriter.quote(id)
            + ",\"output_index\":"
            + piece.item
            + (place.isEmpty() ? "" : ",\"" + place + "\":" + piece.part);
  }

  /** Begins an item behind all others, which is not of the message before. */
  private int addItem(String item, JsonWriter out) {
    int index = output.size();
    output.add("");
    event("response.output_item.added", out).ascii(",\"output_index\":").number(index);
    out.ascii(",\"item\":").raw(item).ascii("}\n\n");
    return index;
  }

  private void finishItem(int index, String item, JsonWriter out) {
    output.set(index, item);
    event("response.output_item.done", out).ascii(",\"output_index\":").number(index);
    out.ascii(",\"item\":").raw(item).ascii("}\n\n");
  }

  private void add(Open piece, String delta, JsonWriter out) {
    add(piece, delta, "", out);
  }

  private void add(Open piece, String delta, String logprobs, JsonWriter out) {
    piece.text.append(delta);
    if (!logprobs.isEmpty()) {
      piece.logprobs.append(piece.logprobs.isEmpty() ? "" : ",").append(logprobs);
    }
    if (piece.begun && !delta.isEmpty()) {
      out.ascii(piece.kind.delta).number(number++);
      out.ascii(piece.at).ascii(",\"delta\":").string(delta);
      endText(piece, logprobs, out);
    }
  }

  private static void endText(Open piece, CharSequence logprobs, JsonWriter out) {
    if (piece.kind == Kind.TEXT) {
      out.ascii(",\"logprobs\":[");
      if (!logprobs.isEmpty()) {
        out.raw(logprobs.toString());
      }
      out.ascii("]");
    }
    out.ascii("}\n\n");
  }

  private void thought(AnswerEvent.Thought thought, ResponsesAnswer begun, JsonWriter out) {
    Open piece = open(thought.piece(), Kind.THOUGHT, begun, out);
    if (!piece.begun && !thought.delta().isEmpty()) {
      beginThought(piece, begun, out);
      event("response.reasoning_summary_part.added", out).ascii(piece.at).ascii(",\"part\":");
      out.raw(ResponsesAnswer.summaryPart("")).ascii("}\n\n");
    }
    add(piece, thought.delta(), out);
  }

  private void beginThought(Open piece, ResponsesAnswer begun, JsonWriter out) {
    leaveMessage(begun, out);
    piece.item = addItem(begun.thought(output.size(), "", null), out);
    begin(piece, begun.thoughtId(piece.item));
  }

  private void call(AnswerEvent.Call call, ResponsesAnswer begun, JsonWriter out) {
    Open piece = open(call.piece(), Kind.CALL, begun, out);
    if (!piece.name.isEmpty()) {
      return;
    }
    piece.callId = call.id();
    piece.name = called.names().called(call.name());
    if (begun.isFunction(piece.name)) {
      beginCall(piece, begun, out);
    }
  }

  private void beginCall(Open piece, ResponsesAnswer begun, JsonWriter out) {
    leaveMessage(begun, out);
    piece.item = addItem(begun.begunCall(output.size(), piece.callId, piece.name), out);
    begin(piece, begun.callItemId(piece.item));
  }

  private void cite(AnswerEvent.Cited cited, ResponsesAnswer begun, JsonWriter out) {
    Open piece = open(cited.piece(), Kind.TEXT, begun, out);
    beginText(piece, begun, out);
    String annotation = ResponsesAnswer.annotation(cited.citation(), piece.text.length());
    event("response.output_text.annotation.added", out).ascii(piece.at);
    out.ascii(",\"annotation_index\":").number(piece.annotations.size());
    out.ascii(",\"annotation\":").raw(annotation).ascii("}\n\n");
    piece.annotations.add(annotation);
  }

  private void close(Open piece, boolean whole, ResponsesAnswer begun, JsonWriter out) {
    if (piece.kind == Kind.CALL) {
      closeCall(piece, whole, begun, out);
    } else if (piece.kind == Kind.THOUGHT) {
      closeThought(piece, begun, out);
    } else if (piece.message != null) {
      String text = piece.text.toString();
      String part = part(piece);
      String member = piece.kind == Kind.TEXT ? "text" : "refusal";
      event(piece.kind.event + ".done", out).ascii(piece.at).ascii(",\"").ascii(member);
      out.ascii("\":").string(text);
      endText(piece, piece.logprobs, out);
      event("response.content_part.done", out).ascii(piece.at).ascii(",\"part\":");
      out.raw(part).ascii("}\n\n");
      Message message = piece.message;
      message.parts.set(piece.part, part);
      message.open--;
      if (message != last) {
        finishMessage(message, whole, begun, out);
      }
    }
  }

  private void closeThought(Open piece, ResponsesAnswer begun, JsonWriter out) {
    String text = piece.text.toString();
    if (!piece.begun && piece.seal == null) {
      return;
    }
    if (!piece.begun) {
      beginThought(piece, begun, out);
    }
    if (!text.isEmpty()) {
      event(piece.kind.event + ".done", out).ascii(piece.at).ascii(",\"text\":").string(text);
      out.ascii("}\n\n");
      event("response.reasoning_summary_part.done", out).ascii(piece.at).ascii(",\"part\":");
      out.raw(ResponsesAnswer.summaryPart(text)).ascii("}\n\n");
    }
    finishItem(piece.item, begun.thought(piece.item, text, piece.seal), out);
  }

  private void closeCall(Open piece, boolean whole, ResponsesAnswer begun, JsonWriter out) {
    if (piece.begun && piece.text.toString().isBlank() && whole) {
      add(piece, "{}", out);
    }
    String arguments = piece.text.toString();
    if (piece.begun) {
      event(piece.kind.event + ".done", out).ascii(piece.at).ascii(",\"name\":").string(piece.name);
      out.ascii(",\"arguments\":").string(arguments).ascii("}\n\n");
      finishItem(
          piece.item, begun.call(piece.item, whole, piece.callId, piece.name, arguments), out);
      return;
    }
    leaveMessage(begun, out);
    piece.item = output.size();
    JsonValue item =
        JsonValue.of(begun.call(piece.item, whole, piece.callId, piece.name, arguments));
    String type = item.text("type");
    boolean custom = type.equals("custom_tool_call");
    String member = custom ? "input" : type.equals("function_call") ? "arguments" : "";
    JsonValue empty = item.with("status", "\"in_progress\"").with(member, "\"\"");
    addItem(empty.raw(), out);
    begin(piece, item.text("id"));
    if (!member.isEmpty()) {
      String name = custom ? "response.custom_tool_call_input" : piece.kind.event;
      String said = JsonWriter.quote(item.text(member));
      if (!item.text(member).isEmpty()) {
        event(name + ".delta", out).ascii(piece.at).ascii(",\"delta\":").raw(said).ascii("}\n\n");
      }
      event(name + ".done", out).ascii(piece.at).ascii(",\"").ascii(member).ascii("\":");
      out.raw(said).ascii("}\n\n");
    }
    finishItem(piece.item, item.raw(), out);
  }

  /** Lets what follows be no part of the last message. */
  private void leaveMessage(ResponsesAnswer begun, JsonWriter out) {
    Message message = last;
    last = null;
    if (message != null) {
      finishMessage(message, true, begun, out);
    }
  }

  private void finishMessage(
      Message message, boolean whole, ResponsesAnswer begun, JsonWriter out) {
    if (message.open == 0 && messages.remove(message)) {
      String status = whole ? "completed" : "incomplete";
      finishItem(message.item, begun.message(message.item, status, message.parts), out);
    }
  }

  private void finish(AnswerEvent.Finish finish, ResponsesAnswer begun, JsonWriter out) {
    boolean whole = finish.stop() != Stop.LENGTH;
    if (finish.stop() == Stop.REFUSAL && !refused) {
      text(REFUSED, Kind.REFUSAL, ResponsesAnswer.REFUSED, "", begun, out);
    }
    for (Open piece : List.copyOf(pieces.values())) {
      close(piece, whole, begun, out);
    }
    pieces.clear();
    last = null;
    for (Message message : List.copyOf(messages)) {
      finishMessage(message, whole, begun, out);
    }
    ended = true;
    event(whole ? "response.completed" : "response.incomplete", out).ascii(",\"response\":");
    out.raw(begun.finished(finish.stop(), finish.usage(), output)).ascii("}\n\n");
  }

  private void fail(Fault fault, JsonWriter out) {
    ended = true;
    ResponsesAnswer begun = answer;
    if (begun != null) {
      List<String> done = output.stream().filter(item -> !item.isEmpty()).toList();
      event("response.failed", out).ascii(",\"response\":");
      out.raw(begun.failed(fault, done)).ascii("}\n\n");
      return;
    }
    String code = ResponsesFaults.streamCode(fault);
    event("error", out).ascii(",\"code\":").string(code).ascii(",\"message\":");
    out.string(fault.openAiMessage()).ascii(",\"param\":null}\n\n");
  }
}
