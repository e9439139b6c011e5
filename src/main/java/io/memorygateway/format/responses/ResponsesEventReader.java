package io.memorygateway.format.responses;

import io.memorygateway.format.answer.UpstreamError;
import io.memorygateway.format.responses.ResponsesStreamedItems.Fragments;
import io.memorygateway.format.responses.ResponsesStreamedItems.Item;
import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.AnswerReader;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Piece;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads one streamed response. Events say by an index to which item they belong, and by an id; some
 * servers leave one of them out, or change it. What an event at the end of an item has, and none of
 * its fragments had, is given then.
 */
final class ResponsesEventReader implements AnswerReader {
  private static final String ADDED = "response.output_item.added";
  private static final String DONE = "response.output_item.done";
  private static final JsonValue NOTHING = JsonValue.of("{}");

  private final String maker;
  private final ResponsesStreamedItems items = new ResponsesStreamedItems();
  private final CallIds callIds;

  /** The number of the last event: the same once more is the same event. */
  private int last;

  /** The id of the response that was created. */
  private String id = "";

  private int pieces;
  private boolean started;
  private boolean ended;
  private boolean refused;

  ResponsesEventReader(String maker, CallIds callIds) {
    this.maker = maker;
    this.callIds = callIds;
  }

  @Override
  public void read(String name, JsonValue data, Consumer<AnswerEvent> events) {
    int sequence = data.index("sequence_number");
    if (ended || !data.isObject() || (sequence > 0 && sequence == last)) {
      return;
    }
    last = sequence;
    String told = data.text("type");
    String type = told.isEmpty() ? name : told;
    JsonValue response = data.get("response");
    switch (type) {
      case "error", "response.failed", "response.cancelled" ->
          fail(ResponsesFaults.read(data), events);
      case "response.completed", "response.incomplete" ->
          finish(response == null ? data : response, events);
      case ADDED, DONE -> {
        JsonValue item = data.get("item");
        if (item != null && item.isObject()) {
          start(response, events);
          item(item, data.index("output_index"), type.equals(DONE), events);
        }
      }
      default -> {
        String named = response == null ? "" : response.text("id");
        boolean another = !id.isEmpty() && !named.isEmpty() && !named.equals(id);
        id = named.isEmpty() ? id : named;
        if (another && pieces > 0 && type.equals("response.created")) {
          fail(Fault.broken("The upstream began its answer anew."), events);
        } else if (type.startsWith("response.")) {
          start(response, events);
          fragment(type, data, events);
        } else if (data.get("error") != null
            || (type.isEmpty() && UpstreamError.isReportedBy(data))) {
          fail(ResponsesFaults.read(UpstreamError.of(data)), events);
        }
      }
    }
  }

  @Override
  public void end(Consumer<AnswerEvent> events) {
    if (!ended) {
      fail(Fault.broken("The upstream closed the stream before its answer was whole."), events);
    }
  }

  private void start(@Nullable JsonValue response, Consumer<AnswerEvent> events) {
    if (!started) {
      started = true;
      events.accept(
          response == null
              ? new AnswerEvent.Start("", "", 0, Usage.NONE)
              : new AnswerEvent.Start(
                  response.text("id"),
                  response.text("model"),
                  ResponsesAnswerReader.created(response),
                  Usage.NONE));
    }
  }

  private void fail(Fault fault, Consumer<AnswerEvent> events) {
    ended = true;
    events.accept(new AnswerEvent.Fail(fault));
  }

  /** Takes an event with a piece of an item. */
  private void fragment(String event, JsonValue data, Consumer<AnswerEvent> events) {
    ResponsesStreamedItems.Event known = ResponsesStreamedItems.event(event);
    if (event.equals("response.output_text.annotation.added")) {
      JsonValue annotation = data.get("annotation");
      Item item = items.known("message", data.index("output_index"), data.text("item_id"));
      if (annotation != null && !item.done) {
        Fragments part = part(item, data);
        begin(part, events);
        cite(part, ResponsesAnswerReader.citation(annotation), events);
      }
      return;
    }
    if (known == null) {
      return;
    }
    Item item = items.known(known.type(), data.index("output_index"), data.text("item_id"));
    if (item.done) {
      return;
    }
    String what = known.what();
    boolean whole = known.whole();
    String delta = data.text("delta");
    switch (what) {
      case "content_part" -> {
        JsonValue part = data.get("part");
        if (whole && part != null) {
          complete(part(item, data), part, events);
        }
      }
      case "output_text", "refusal" -> {
        Fragments part = part(item, data);
        part.refusal |= what.equals("refusal");
        String member = part.refusal ? "refusal" : "text";
        int from = whole ? part.likely : 0;
        add(part, whole ? rest(part, data.text(member)) : delta, data, from, events);
      }
      case "reasoning_text", "reasoning_summary_text" -> {
        int index =
            Math.max(
                0, data.index(what.equals("reasoning_text") ? "content_index" : "summary_index"));
        if (!whole && (item.source.isEmpty() || item.source.equals(what))) {
          String gap = item.source.isEmpty() || item.part == index ? "" : "\n\n";
          item.source = what;
          item.part = index;
          addThought(item, gap + delta, events);
        }
      }
      default -> {
        item.name = item.name.isEmpty() ? data.text("name") : item.name;
        String member = item.isFunction() ? "arguments" : "input";
        beginCall(item, NOTHING, events);
        addArguments(item, whole ? rest(item.own, data.text(member)) : delta, events);
      }
    }
  }

  /** What a whole text has behind what has been told of it; nothing if it is another one. */
  private static String rest(Fragments told, String whole) {
    int length = told.text.length();
    boolean goesOn = whole.length() > length && whole.startsWith(told.text.toString());
    return goesOn ? whole.substring(length) : "";
  }

  /** Takes an item at its beginning or its end, or as the whole response repeats it. */
  private void item(JsonValue json, int index, boolean whole, Consumer<AnswerEvent> events) {
    take(items.of(json, index, whole), json, whole, events);
  }

  private void take(Item item, JsonValue json, boolean whole, Consumer<AnswerEvent> events) {
    if (item.done || ended) {
      return;
    }
    item.name = item.name.isEmpty() ? json.text("name") : item.name;
    if (item.isCall()) {
      beginCall(item, json, events);
    }
    if (whole) {
      item.done = true;
      complete(item, json, events);
    }
  }

  private static Fragments part(Item item, JsonValue event) {
    return item.parts.computeIfAbsent(
        Math.max(0, event.index("content_index")), at -> new Fragments());
  }

  private void begin(Fragments part, Consumer<AnswerEvent> events) {
    if (part.piece < 0) {
      part.piece = pieces++;
      refused |= part.refusal;
      events.accept(
          part.refusal
              ? new AnswerEvent.Refusal(part.piece, "")
              : new AnswerEvent.Text(part.piece, ""));
    }
  }

  /**
   * Adds to a text or refusal.
   *
   * @param said what has the logprobs of it
   * @param from index of the first of them
   */
  private void add(
      Fragments part, String text, JsonValue said, int from, Consumer<AnswerEvent> events) {
    if (text.isEmpty() || part.closed) {
      return;
    }
    part.piece = part.piece < 0 ? pieces++ : part.piece;
    refused |= part.refusal;
    part.text.append(text);
    if (part.refusal) {
      events.accept(new AnswerEvent.Refusal(part.piece, text));
      return;
    }
    JsonValue likely = said.at("logprobs");
    part.likely += Math.max(0, likely.items().size() - from);
    events.accept(new AnswerEvent.Text(part.piece, text, Piece.Text.logprobs(likely, from)));
  }

  private static void cite(
      Fragments part, Piece.@Nullable Citation citation, Consumer<AnswerEvent> events) {
    part.cited++;
    if (citation != null && !part.refusal && !part.closed) {
      events.accept(new AnswerEvent.Cited(part.piece, citation));
    }
  }

  private void complete(Fragments part, JsonValue json, Consumer<AnswerEvent> events) {
    part.refusal |= part.piece < 0 && json.text("type").equals("refusal");
    String text = json.text(part.refusal ? "refusal" : "text");
    add(part, rest(part, text), json, part.likely, events);
    List<JsonValue> annotations = ResponsesAnswerReader.parts(json, "annotations");
    while (part.cited < annotations.size()) {
      begin(part, events);
      cite(part, ResponsesAnswerReader.citation(annotations.get(part.cited)), events);
    }
    close(part, events);
  }

  private static void close(Fragments part, Consumer<AnswerEvent> events) {
    if (part.piece >= 0 && !part.closed) {
      events.accept(new AnswerEvent.Close(part.piece));
    }
    part.closed = true;
  }

  private void addThought(Item item, String delta, Consumer<AnswerEvent> events) {
    Fragments own = item.own;
    own.piece = own.piece < 0 ? pieces++ : own.piece;
    own.text.append(delta);
    events.accept(new AnswerEvent.Thought(own.piece, delta));
  }

  private void beginCall(Item item, JsonValue json, Consumer<AnswerEvent> events) {
    Fragments own = item.own;
    if (own.piece >= 0 || item.name.isEmpty()) {
      return;
    }
    own.piece = pieces++;
    String id = callIds.next(ResponsesAnswerReader.callId(json));
    events.accept(new AnswerEvent.Call(own.piece, id, item.name));
    String held = own.text.toString();
    if (!item.isFunction()) {
      events.accept(new AnswerEvent.Arguments(own.piece, "{\"input\":\""));
    }
    own.text.setLength(0);
    addArguments(item, held, events);
  }

  private static void addArguments(Item item, String delta, Consumer<AnswerEvent> events) {
    item.own.text.append(delta);
    if (item.own.piece >= 0 && !delta.isEmpty()) {
      String quoted = JsonWriter.quote(delta);
      String json = item.isFunction() ? delta : quoted.substring(1, quoted.length() - 1);
      events.accept(new AnswerEvent.Arguments(item.own.piece, json));
    }
  }

  private void complete(Item item, JsonValue json, Consumer<AnswerEvent> events) {
    if (item.type.equals("message")) {
      List<JsonValue> parts = ResponsesAnswerReader.parts(json, "content");
      for (int i = 0; i < parts.size(); i++) {
        complete(item.parts.computeIfAbsent(i, at -> new Fragments()), parts.get(i), events);
      }
      item.parts.values().forEach(part -> close(part, events));
    } else if (item.type.equals("reasoning")) {
      if (item.own.text.isEmpty() && !ResponsesAnswerReader.thoughts(json).isEmpty()) {
        addThought(item, ResponsesAnswerReader.thoughts(json), events);
      }
      Seal seal = ResponsesAnswerReader.seal(json, maker);
      if (seal != null) {
        addThought(item, "", events);
        events.accept(new AnswerEvent.Sealed(item.own.piece, seal));
      }
      close(item.own, events);
    } else if (item.isCall()) {
      String whole = json.said(item.isFunction() ? "arguments" : "input");
      addArguments(item, rest(item.own, whole), events);
      closeCall(item, whole, json.text("status").equals("incomplete"), events);
    }
  }

  private void closeCall(Item item, String whole, boolean cut, Consumer<AnswerEvent> events) {
    String told = item.own.text.toString();
    boolean another = !whole.isEmpty() && !told.equals(whole);
    if (ended) {
      return;
    }
    if (item.own.piece < 0) {
      fail(Fault.broken("The upstream called a tool without its name."), events);
    } else if (another && (!item.isFunction() || !JsonValue.of(told).isObject())) {
      fail(Fault.broken("The upstream's stream lacks a piece of a call of a tool."), events);
    } else if (!item.own.closed) {
      if (!item.isFunction()) {
        events.accept(new AnswerEvent.Arguments(item.own.piece, "\"}"));
      }
      if (cut && !(item.isFunction() && JsonValue.of(told).isObject())) {
        item.own.closed = true;
      }
      close(item.own, events);
    }
  }

  private void finish(JsonValue response, Consumer<AnswerEvent> events) {
    start(response, events);
    items
        .of(ResponsesItems.output(response))
        .forEach((item, json) -> take(item, json, true, events));
    JsonValue text = ResponsesItems.text(response);
    if (text != null && !items.haveMessage()) {
      item(text, -1, true, events);
    }
    Stop stop = ResponsesAnswerReader.stop(response, !callIds.isEmpty(), refused);
    for (Item item : items.all()) {
      if (item.isCall() && !item.own.closed) {
        closeCall(item, "", stop == Stop.LENGTH, events);
      }
    }
    if (!ended) {
      ended = true;
      events.accept(
          new AnswerEvent.Finish(
              stop == Stop.END && response.text("status").isEmpty() ? Stop.NONE : stop,
              null,
              ResponsesAnswerReader.usage(response)));
      events.accept(new AnswerEvent.End());
    }
  }
}
