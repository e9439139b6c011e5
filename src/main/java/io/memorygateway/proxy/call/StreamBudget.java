package io.memorygateway.proxy.call;

import static java.util.Objects.requireNonNullElse;

import com.google.common.primitives.Bytes;
import io.memorygateway.budget.hold.OpenHold;
import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.Format;
import io.memorygateway.format.translation.CountedStream;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonPieces;
import io.memorygateway.json.JsonValue;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.sse.SseEvent;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Counts the output of a stream that budgets cover, holds more when it needs more, and ends it as
 * its format ends an answer that came to its limit where they leave no more (contract §15). For one
 * thread.
 */
final class StreamBudget {
  /** Bytes of events that are read whole, as of a translated stream. */
  private static final long MAX_READ = 32 << 20;

  /** Members that have what a model says, in events that are not read whole. */
  private static final Set<String> TEXTS =
      Set.of(
          "content",
          "text",
          "delta",
          "arguments",
          "input",
          "partial_json",
          "thinking",
          "reasoning",
          "reasoning_content",
          "refusal");

  /** Heap that is reserved at a time for what is kept of the events: as much as they have bytes. */
  private static final long STEP = 64 << 10;

  /** The least that is asked for at a time. */
  private static final long LEAST = 256;

  private final OpenHold hold;
  private final CountedStream stream;
  private final TokenCounter counter = new TokenCounter();

  private final LongPredicate reserve;
  private long output;
  private long taken;
  private long reserved = STEP;
  private boolean hasRoom = true;

  /** The event that is passed on in pieces, or cannot be read. */
  private JsonPieces pieces = new JsonPieces(this::say);

  /** Its type; empty if that is not known. */
  private String type = "";

  /** Whether nothing was told before it: then it may tell what others repeat. */
  private boolean isFirst;

  /** What its last piece says. */
  private long said;

  /** What ends the event that the stream breaks off in. */
  private byte[] rest = {};

  /**
   * @param format that is called
   * @param reserve whether there is heap for so many bytes more until the stream has ended
   */
  StreamBudget(OpenHold hold, Format format, LongPredicate reserve) {
    this.hold = hold;
    this.reserve = reserve;
    this.stream = format.openCounted(counter::count);
  }

  /**
   * Counts an event, or a piece of a long one, that is about to be passed on.
   *
   * @return false if it is more than budgets leave
   */
  boolean allows(SseEvent event) {
    JsonValue data = read(event);
    String name = requireNonNullElse(event.name(), "");
    long tokens = data == null ? scan(event, name) : stream.read(name, data);
    boolean allowed = holds(tokens);
    if (allowed && data != null) {
      stream.take(name, data, hasRoom);
    } else if (allowed ? event.endsEvent() : !event.startsEvent()) {
      takeHead();
    }
    if (!allowed && !event.startsEvent()) {
      rest = Bytes.concat(pieces.end(event.array(), event.offset()), StreamPump.BLANK_LINE);
    }
    return allowed;
  }

  /** Whether budgets have so much more output. */
  private boolean holds(long tokens) {
    if (tokens == 0) {
      return true;
    }
    output += tokens;
    long missing = output - hold.output();
    if (missing <= 0
        || hold.more(Math.max(missing, hold.step()))
        || hold.more(Math.max(missing, LEAST))
        || hold.more(missing)) {
      hold.saw(output);
      return true;
    }
    output -= tokens;
    return false;
  }

  /**
   * Has the stream know of an event that is not read whole what begins or ends by it, as far as
   * that is known.
   */
  private void takeHead() {
    JsonValue head = pieces.head();
    if (!JsonValue.isEmpty(head)) {
      long unused = stream.read(type, head);
      stream.take(type, head, false);
    }
  }

  /** The data of a whole event; null if it is in pieces, too much, or cannot be read. */
  private @Nullable JsonValue read(SseEvent event) {
    boolean hasData = event.startsEvent() && event.dataStart() < event.dataEnd();
    if (!hasData || !event.endsEvent() || taken + event.length() > MAX_READ) {
      return null;
    }
    taken += event.length();
    while (hasRoom && taken > reserved) {
      hasRoom = reserve.test(STEP);
      reserved += STEP;
    }
    return event.json();
  }

  /** Counts what an event, or a piece of one, says; holds nothing of it. */
  private long scan(SseEvent event, String name) {
    if (event.startsEvent()) {
      pieces = new JsonPieces(this::say);
      type = name;
      isFirst = output == 0;
    }
    said = 0;
    pieces.feed(event.array(), event.offset(), event.length());
    pieces.flush(TEXTS);
    if (said > 0) {
      stream.missed();
    }
    return said;
  }

  private void say(String member, String text) {
    if (stream.isTyped() && type.isEmpty() && member.equals("type")) {
      type = text;
    } else if (TEXTS.contains(member) && (!stream.isTyped() || stream.tells(type, isFirst))) {
      said += counter.count(text);
    }
  }

  /** The tokens of what was passed on. */
  long output() {
    return output;
  }

  /** What ends the event of which pieces were passed on, in the place of the next; or nothing. */
  byte[] rest() {
    return rest;
  }

  /**
   * The events that end the stream, after that.
   *
   * @param told what the target has said of its tokens: the input, if it says that at the beginning
   */
  byte[] end(Figures told) {
    boolean hasInput = told.get(Figure.INPUT_TOKENS) > 0;
    Figures known = hasInput ? told : Figures.NONE.with(Figure.INPUT_TOKENS, hold.input());
    return stream.end(new Usage(known.with(Figure.OUTPUT_TOKENS, output)));
  }
}
