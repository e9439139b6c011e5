package io.memorygateway.format.translation;

import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.sse.EventSplitter;
import io.memorygateway.sse.SseEvent;
import io.memorygateway.sse.SseSplitter;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/**
 * Translation of one answer as a stream: takes the bytes of the target's stream, or its whole
 * answer, and passes on the events of the caller's. A defect in it ends the caller's stream with an
 * error.
 */
public final class StreamTranslation implements EventSplitter {
  /** Bytes of an answer, which bound what is held of it. */
  private static final int MAX_BYTES = 32 << 20;

  /**
   * Copies of what the answer says that are held: in what reads it, twice in what writes it,
   * growing.
   */
  private static final int COPIES = 4;

  /**
   * Bytes for which an event counts that says nothing: it may be held for later, as a signature is,
   * or repeat all that was said.
   */
  private static final int SILENT = 4 << 10;

  /** Heap that is reserved at a time; less than this is held by any stream. */
  private static final int STEP = 64 << 10;

  /**
   * Characters of a whole answer that are told at once: budgets end its stream between two events.
   */
  private static final int MAX_TOLD = 512;

  private static final int EXPECTED = 1024;

  /** Types of events that only keep connections open, as comments do. */
  private static final Set<String> KEEP_ALIVE = Set.of("ping", "keepalive");

  private static final String COMMENT = ": ping\n\n";

  private final AnswerReader reader;
  private final AnswerWriter writer;
  private final Consumer<AnswerEvent.Start> begun;
  private final Consumer<AnswerEvent.Finish> finished;
  private final Consumer<RuntimeException> defects;
  private final LongPredicate reserve;
  private final List<AnswerEvent> whole;
  private final SseSplitter splitter;

  /** Splits what is written, event by event. */
  private final SseSplitter events = new SseSplitter(MAX_BYTES);

  private final JsonWriter out = new JsonWriter(EXPECTED);
  private long taken;
  private long said;
  private long held;
  private long reserved = STEP;
  private int written;
  private boolean hasPieces;
  private boolean ended;

  /**
   * @param begun gets the head of the answer
   * @param finished gets how the target said that the answer ended
   * @param defects gets what was thrown in the translation
   * @param reserve whether there is heap for so many bytes more until the stream has ended
   * @param whole the answer, if the target does not stream it, told when it has ended
   */
  StreamTranslation(
      AnswerReader reader,
      AnswerWriter writer,
      Consumer<AnswerEvent.Start> begun,
      Consumer<AnswerEvent.Finish> finished,
      Consumer<RuntimeException> defects,
      LongPredicate reserve,
      List<AnswerEvent> whole) {
    this.reader = reader;
    this.writer = writer;
    this.begun = begun;
    this.finished = finished;
    this.defects = defects;
    this.reserve = reserve;
    this.splitter = new SseSplitter(MAX_BYTES, reserve);
    this.whole = whole;
  }

  @Override
  public void feed(byte[] chunk, int offset, int length, Sink sink) throws IOException {
    splitter.feed(chunk, offset, length, event -> pass(() -> takeWhole(event), sink));
  }

  /** Takes the end of the target's stream, which it closed. */
  @Override
  public void finish(Sink sink) throws IOException {
    splitter.finish(
        event -> {
          if (event.hasWholeData()) {
            pass(() -> take(event), sink);
          }
        });
    for (AnswerEvent event : whole) {
      int from = 0;
      do {
        int to = end(event, from);
        AnswerEvent part = event.part(from, to);
        pass(() -> tell(part), sink);
        from = to;
      } while (from < event.delta().length());
    }
    if (!ended) {
      pass(() -> reader.end(this::give), sink);
    }
  }

  /** The end of the next part of an event that is told; odds are of all its tokens. */
  private static int end(AnswerEvent event, int from) {
    String text = event.delta();
    boolean whole = event instanceof AnswerEvent.Text it && !it.logprobs().isEmpty();
    int to = from + MAX_TOLD;
    if (whole || to >= text.length()) {
      return text.length();
    }
    return Character.isHighSurrogate(text.charAt(to - 1)) ? to - 1 : to;
  }

  @Override
  public boolean inEvent() {
    return false;
  }

  /** Passes on what is held of an answer that has broken off. */
  public void breakOff(Sink sink) throws IOException {
    pass(this::giveHeld, sink);
  }

  /**
   * Ends the caller's stream for a reason that the target did not say.
   *
   * @return the last event
   */
  public byte[] fail(int status, String message) {
    give(new AnswerEvent.Fail(new Fault(status, "upstream_error", message, null, false)));
    return out.toBytes();
  }

  private void breakOff(Fault fault) {
    giveHeld();
    give(new AnswerEvent.Fail(fault));
  }

  private void giveHeld() {
    if (!ended) {
      reader.breakOff(this::give);
    }
  }

  /** Passes on what a step has written. */
  private void pass(Runnable step, Sink sink) throws IOException {
    try {
      step.run();
    } catch (RuntimeException defect) {
      defects.accept(defect);
      out.truncate(written);
      give(new AnswerEvent.Fail(Fault.broken("The upstream's answer could not be translated.")));
    }
    events.feed(out.buffer(), 0, out.length(), sink);
    out.truncate(0);
    written = 0;
  }

  private void takeWhole(SseEvent event) {
    if (event.endsEvent() || ended) {
      take(event);
    } else {
      boolean tooLong = taken + event.length() > MAX_BYTES;
      breakOff(tooLong ? Fault.broken("The upstream's answer is too long.") : Fault.FULL);
    }
  }

  private void take(SseEvent event) {
    taken += event.length();
    if (ended) {
      return;
    }
    if (taken > MAX_BYTES) {
      breakOff(Fault.broken("The upstream's answer is too long."));
    } else if (event.dataStart() < event.dataEnd()) {
      String name = event.name();
      long before = said;
      read(name == null ? "" : name, event);
      int silent = reader.isHolding() ? event.length() : Math.min(event.length(), SILENT);
      held += said > before ? COPIES * (said - before) : silent;
      makeRoom();
    } else if (event.array()[event.offset()] == ':') {
      // Comments keep connections open: they are passed on as they are.
      out.raw(event.array(), event.offset(), event.length());
    }
  }

  private void tell(AnswerEvent event) {
    held += (long) COPIES * length(event);
    makeRoom();
    give(event);
  }

  private void makeRoom() {
    while (held > reserved && !ended) {
      if (reserve.test(STEP)) {
        reserved += STEP;
      } else {
        breakOff(Fault.FULL);
      }
    }
  }

  private void read(String name, SseEvent event) {
    if (event.isDone()) {
      reader.done(this::give);
      return;
    }
    JsonValue json = event.json();
    if (json == null) {
      breakOff(Fault.broken("The upstream sent an event that cannot be read."));
    } else if (KEEP_ALIVE.contains(name.isEmpty() ? json.text("type") : name)) {
      // Before, another target may still answer, as natively.
      out.ascii(hasPieces ? COMMENT : "");
    } else {
      reader.read(name, json, this::give);
      event.release();
    }
  }

  private void give(AnswerEvent event) {
    if (ended) {
      return;
    }
    hasPieces |= event.piece() >= 0;
    AnswerEvent next =
        event instanceof AnswerEvent.Finish end && end.saysNothing() && !hasPieces
            ? new AnswerEvent.Fail(Fault.broken("The upstream's answer is empty."))
            : event;
    if (next instanceof AnswerEvent.Start start) {
      begun.accept(start);
    } else if (next instanceof AnswerEvent.Finish finish) {
      finished.accept(finish);
    }
    said += length(next);
    writer.write(next, out);
    written = out.length();
    ended = next instanceof AnswerEvent.End || next instanceof AnswerEvent.Fail;
  }

  private static int length(AnswerEvent event) {
    return event.delta().length()
        + (event instanceof AnswerEvent.Text text ? text.logprobs().length() : 0);
  }
}
