package io.memorygateway.format.chat;

import io.memorygateway.figures.Figures;
import io.memorygateway.format.answer.ChatChoice;
import io.memorygateway.format.answer.UsageMembers;
import io.memorygateway.format.content.CallArguments;
import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.AnswerReader;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Piece;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the chunks of an answer of Chat Completions; a whole answer is read as one chunk. Text,
 * reasoning and refusal end where something else begins. A call begins with its arguments, for its
 * name may come in pieces or late, and ends where something else begins and they are a whole
 * object. All else ends with the stream: usage comes after the finish, and so may content.
 */
final class ChatEventReader implements AnswerReader {
  /** Characters of logprobs that wait for their text, as those of half a character do. */
  private static final int MAX_WAITING = 16 << 10;

  /** The index of a call in the form before tools. */
  private static final int FUNCTION = -1;

  private enum Saying {
    NOTHING,
    TEXT,
    THOUGHT,
    REFUSAL
  }

  private final ChatSeals seals;
  private final CallIds ids;
  private String id = "";
  private String model = "";
  private long created;
  private Figures usage = Figures.NONE;
  private @Nullable String tier; // which was told last
  private boolean started;
  private boolean refused;
  private boolean ended;
  private @Nullable String finish;
  private @Nullable String stopSequence;

  /** Of the tokens of the next text. */
  private String logprobs = "";

  private int pieces;

  private Saying saying = Saying.NOTHING;
  private int piece;

  /** Characters of texts before the open one, and all of them. */
  private long textStart;

  private long textEnd;

  private final ChatStreamedCalls calls = new ChatStreamedCalls();

  /** Calls that have not begun: those with names, and those without. */
  private final Set<ChatStreamedCall> named = new LinkedHashSet<>();

  private final Set<ChatStreamedCall> nameless = new LinkedHashSet<>();
  private final Set<ChatStreamedCall> open = new LinkedHashSet<>();

  /** The call that came last. */
  private @Nullable ChatStreamedCall touched;

  /** The index of the choice that is read; negative before one has come. */
  private int taken = -1;

  /** What comes of it, if it is another than the first one, which may still come. */
  private final List<String> others = new ArrayList<>();

  private boolean said;

  ChatEventReader(String maker, CallIds ids) {
    this.seals = new ChatSeals(maker);
    this.ids = ids;
  }

  @Override
  public void read(String name, JsonValue data, Consumer<AnswerEvent> events) {
    if (ended) {
      return;
    }
    boolean more = ChatChoice.saysMore(data);
    JsonValue error = more ? ChatChoice.error(data) : null;
    if (name.equals("error") || error != null) {
      fail(ChatErrors.fault(error == null ? data : error), events);
      return;
    }
    if (!started) {
      id = id.isEmpty() ? data.text("id") : id;
      model = model.isEmpty() ? data.text("model") : model;
      created = created == 0 ? Math.max(0, ChatUsage.count(data.get("created"))) : created;
    }
    if (more) {
      readUsage(data);
      readUsage(data.at("x_groq"));
      String told = data.string("service_tier");
      tier = told == null ? tier : told;
    }
    taken = ChatChoice.taken(data, taken);
    for (JsonValue choice : data.at("choices").items()) {
      if (!ended && choice.isObject() && ChatChoice.indexOf(choice) == taken) {
        if (taken == 0) {
          others.clear();
          readChoice(choice, events);
        } else {
          others.add(choice.raw());
        }
      }
    }
  }

  private void readUsage(JsonValue holder) {
    JsonValue said = holder.get("usage");
    if (said != null) {
      usage = usage.with(UsageMembers.CHAT.read(said).counted());
    }
  }

  /** Reads the choice that is told if the first one has not come. */
  private void readOthers(Consumer<AnswerEvent> events) {
    for (String choice : others) {
      if (!ended) {
        readChoice(JsonValue.of(choice), events);
      }
    }
    others.clear();
  }

  @Override
  public boolean isHolding() {
    return !others.isEmpty();
  }

  private void readChoice(JsonValue choice, Consumer<AnswerEvent> events) {
    boolean says = ChatChoice.saysMore(choice);
    JsonValue error = ChatChoice.errorOf(choice);
    if (error != null) {
      fail(ChatErrors.fault(error), events);
      return;
    }
    if (!started) {
      started = true;
      events.accept(new AnswerEvent.Start(id, model, created, new Usage(usage)));
    }
    JsonValue odds = says ? choice.get("logprobs") : null;
    String more = odds == null ? "" : Piece.Text.logprobs(odds.get("content"), 0);
    boolean waiting = !logprobs.isEmpty() && logprobs.length() < MAX_WAITING;
    logprobs = waiting && !more.isEmpty() ? logprobs + "," + more : waiting ? logprobs : more;
    JsonValue delta = says ? ChatChoice.piece(choice, said) : choice.get("delta");
    if (delta == null) {
      text(choice.text("text"), events); // of a completion of a text
    } else {
      readDelta(delta, events);
      if (ChatChoice.says(delta)) {
        said = true;
        logprobs = "";
      }
    }
    if (says) {
      readUsage(choice);
      finish = finish == null ? choice.string("finish_reason") : finish;
      finish = "".equals(finish) ? null : finish;
      stopSequence = stopSequence == null ? ChatUsage.stopSequence(choice) : stopSequence;
    }
  }

  private void readDelta(JsonValue delta, Consumer<AnswerEvent> events) {
    JsonValue content = delta.get("content");
    // Most deltas are of a text alone.
    boolean more = content == null || delta.fields().size() > 1;
    if (more) {
      seals.sign(delta);
    }
    if (more && ChatReasoning.isIn(delta)) {
      readThought(delta, events);
    }
    if (content != null) {
      readContent(content, events);
    }
    if (more) {
      readRest(delta, events);
    }
  }

  private void readRest(JsonValue delta, Consumer<AnswerEvent> events) {
    refuse(delta.text("refusal"), events);
    text(delta.at("audio").text("transcript"), events);
    delta.at("annotations").items().forEach(annotation -> readAnnotation(annotation, events));
    JsonValue entries = delta.at("tool_calls");
    List<JsonValue> all = entries.isObject() ? List.of(entries) : entries.items();
    int place = 0;
    for (JsonValue entry : all) {
      readCall(calls.index(entry, place++, all.size()), entry, events);
    }
    JsonValue function = delta.get("function_call");
    if (function != null) {
      readCall(FUNCTION, JsonValue.of("{\"function\":" + function.raw() + "}"), events);
    }
  }

  private void readContent(JsonValue content, Consumer<AnswerEvent> events) {
    for (JsonValue part : content.isArray() ? content.items() : List.of(content)) {
      JsonValue thinking = part.get("thinking");
      if (thinking == null) {
        text(part.isString() ? part.text() : part.text("text"), events);
        refuse(part.text("refusal"), events);
      } else {
        String words = ChatReasoning.words(thinking);
        if (!words.isEmpty()) {
          begin(Saying.THOUGHT, events);
          seals.thinkPart(part);
          events.accept(new AnswerEvent.Thought(piece, words));
        }
      }
    }
  }

  private void refuse(String words, Consumer<AnswerEvent> events) {
    if (!words.isEmpty()) {
      begin(Saying.REFUSAL, events);
      refused = true;
      events.accept(new AnswerEvent.Refusal(piece, words));
    }
  }

  private void text(String text, Consumer<AnswerEvent> events) {
    if (!text.isEmpty()) {
      begin(Saying.TEXT, events);
      textEnd += text.length();
      events.accept(new AnswerEvent.Text(piece, text, logprobs));
      logprobs = "";
    }
  }

  private void readThought(JsonValue delta, Consumer<AnswerEvent> events) {
    begin(Saying.THOUGHT, events);
    seals.think(delta);
    events.accept(new AnswerEvent.Thought(piece, ChatReasoning.text(delta)));
  }

  private void readAnnotation(JsonValue annotation, Consumer<AnswerEvent> events) {
    JsonValue cited = annotation.at("url_citation");
    String url = cited.text("url");
    if (url.isEmpty()) {
      return;
    }
    if (saying != Saying.TEXT) {
      begin(Saying.TEXT, events);
      events.accept(new AnswerEvent.Text(piece, ""));
    }
    long start = ChatUsage.count(cited.get("start_index")) - textStart;
    long end = ChatUsage.count(cited.get("end_index")) - textStart;
    boolean known = start >= 0 && end >= start && end <= textEnd - textStart;
    events.accept(
        new AnswerEvent.Cited(
            piece,
            new Piece.Citation(
                url, cited.string("title"), null, known ? start : -1, known ? end : -1)));
  }

  private void begin(Saying next, Consumer<AnswerEvent> events) {
    if (saying == next) {
      return;
    }
    closeSaying(events);
    touch(null, events);
    beginNamed(null, events);
    seal(seals.signature(), events);
    saying = next;
    piece = pieces++;
    if (next == Saying.TEXT) {
      textStart = textEnd;
    }
  }

  private void closeSaying(Consumer<AnswerEvent> events) {
    if (saying == Saying.NOTHING) {
      return;
    }
    Seal thought = seals.thought();
    if (thought != null) {
      events.accept(new AnswerEvent.Sealed(piece, thought));
    }
    events.accept(new AnswerEvent.Close(piece));
    saying = Saying.NOTHING;
  }

  /** Gives a signature, as reasoning that shows nothing. */
  private void seal(@Nullable Seal signature, Consumer<AnswerEvent> events) {
    if (signature != null) {
      int own = pieces++;
      events.accept(new AnswerEvent.Thought(own, ""));
      events.accept(new AnswerEvent.Sealed(own, signature));
      events.accept(new AnswerEvent.Close(own));
    }
  }

  private void readCall(int index, JsonValue entry, Consumer<AnswerEvent> events) {
    ChatStreamedCalls.Piece more = ChatStreamedCalls.Piece.of(entry);
    ChatStreamedCall call = calls.of(index, more);
    if (call == null) {
      return;
    }
    seals.sign(call, entry);
    if (call != touched) {
      touch(call, events);
    }
    if (!call.hasBegun()) {
      call.take(more);
      if (call.name.isEmpty()) {
        nameless.add(call);
      } else {
        nameless.remove(call);
        named.add(call);
      }
    }
    if (call.isWhole()) {
      return;
    }
    call.follow(more.arguments());
    if (call.hasBegun()) {
      give(call, call.json(more.arguments()), events);
    } else {
      call.hold(more.arguments());
      if (!call.name.isEmpty() && !call.isBare()) {
        beginNamed(call, events);
      }
    }
  }

  /** Goes on with another call or none: the last one ends, if its arguments are whole. */
  private void touch(@Nullable ChatStreamedCall next, Consumer<AnswerEvent> events) {
    ChatStreamedCall last = touched;
    touched = next;
    if (last != null && last.hasBegun() && !last.closed && last.isWhole()) {
      close(last, false, events);
    }
  }

  private void close(ChatStreamedCall call, boolean cut, Consumer<AnswerEvent> events) {
    call.closed = true;
    open.remove(call);
    give(call, call.bracket(false), events);
    if (!cut) {
      events.accept(new AnswerEvent.Close(call.piece));
    }
  }

  /**
   * Begins the calls that have names, in their order.
   *
   * @param last the one that is to begin, with those before it; null for all
   */
  private void beginNamed(@Nullable ChatStreamedCall last, Consumer<AnswerEvent> events) {
    while (!named.isEmpty()) {
      ChatStreamedCall call = named.iterator().next();
      beginCall(call, events);
      if (call == last) {
        return;
      }
    }
  }

  private void beginCall(ChatStreamedCall call, Consumer<AnswerEvent> events) {
    closeSaying(events);
    named.remove(call);
    open.add(call);
    call.told = ids.next(call.id);
    seal(seals.signature(), events);
    seal(seals.signature(call), events);
    call.piece = pieces++;
    events.accept(new AnswerEvent.Call(call.piece, call.told, call.name));
    give(call, call.bracket(true) + call.json(call.taken()), events);
  }

  private static void give(ChatStreamedCall call, String arguments, Consumer<AnswerEvent> events) {
    if (!arguments.isEmpty()) {
      events.accept(new AnswerEvent.Arguments(call.piece, arguments));
    }
  }

  @Override
  public void done(Consumer<AnswerEvent> events) {
    readOthers(events);
    if (ended) {
      return;
    }
    String fault = !started ? "is empty" : ChatChoice.isFailed(finish) ? "failed" : null;
    if (fault != null) {
      fail(Fault.broken("The upstream's answer " + fault + "."), events);
      return;
    }
    closeSaying(events);
    beginNamed(null, events);
    for (ChatStreamedCall call : nameless) {
      call.name = CallArguments.name("");
      beginCall(call, events);
    }
    boolean called = !ids.isEmpty();
    Stop stop = ChatUsage.stop(finish, stopSequence, called, refused);
    for (ChatStreamedCall call : new LinkedHashSet<>(open)) {
      close(call, stop == Stop.LENGTH && !call.isWhole(), events);
    }
    for (ChatStreamedCall call : seals.signed()) {
      seal(seals.signature(call), events);
    }
    if (called) {
      seal(seals.signature(), events);
    } // Else it is not told: clients show what the last piece says.
    ended = true;
    Usage told = new Usage(usage.withServiceTier(tier));
    events.accept(new AnswerEvent.Finish(stop, stopSequence, told));
    events.accept(new AnswerEvent.End());
  }

  @Override
  public void end(Consumer<AnswerEvent> events) {
    readOthers(events);
    if (finish != null) {
      done(events);
    } else if (!ended) {
      fail(Fault.broken("The upstream's stream ended before the answer did."), events);
    }
  }

  private void fail(Fault fault, Consumer<AnswerEvent> events) {
    ended = true;
    events.accept(new AnswerEvent.Fail(fault));
  }
}
