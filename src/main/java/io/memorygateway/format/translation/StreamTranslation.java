package io.memorygateway.format.translation;

import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.json.NonFinite;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.sse.SseEvent;
import io.memorygateway.sse.SseSplitter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Translation of one streamed answer, chunk by chunk: what came of the target's stream is taken,
 * and what it makes of the caller's is given. For one thread.
 */
public final class StreamTranslation {
  /** Bytes of an answer, which bound what is held of it. */
  private static final int MAX_BYTES = 32 << 20;

  /** JSON values of an event; parsing more would take a hundred times its length. */
  private static final ParseOptions EVENT = ParseOptions.LENIENT.withMaxValues(500_000);

  private static final int EXPECTED = 1024;
  private static final String DONE = "[DONE]";

  private final AnswerReader reader;
  private final AnswerWriter writer;
  private final Consumer<AnswerEvent.Finish> finished;
  private final SseSplitter splitter = new SseSplitter(MAX_BYTES);
  private JsonWriter out = new JsonWriter(EXPECTED);
  private long taken;
  private int whole;
  private boolean ended;

  /**
   * Opens a translation.
   *
   * @param finished gets how the target said that the answer ended
   */
  StreamTranslation(
      AnswerReader reader, AnswerWriter writer, Consumer<AnswerEvent.Finish> finished) {
    this.reader = reader;
    this.writer = writer;
    this.finished = finished;
  }

  /** Takes a chunk of the target's stream; returns what it adds to the caller's, often nothing. */
  public byte[] take(byte[] chunk, int offset, int length) {
    try {
      splitter.feed(chunk, offset, length, this::event);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return given();
  }

  /** Takes the end of the target's stream, which it closed. */
  public byte[] end() {
    try {
      splitter.finish(this::last);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!ended) {
      reader.end(this::give);
    }
    return given();
  }

  /** Ends the caller's stream with an error, for a defect in the translation of what came last. */
  public byte[] broken() {
    out.truncate(whole);
    give(new AnswerEvent.Fail(Fault.broken("The upstream's answer could not be translated.")));
    return given();
  }

  private byte[] given() {
    whole = 0;
    byte[] bytes = out.length() == 0 ? new byte[0] : out.toBytes();
    out = new JsonWriter(EXPECTED);
    return bytes;
  }

  private void event(SseEvent event) {
    taken += event.length();
    if (ended) {
      return;
    }
    if (taken > MAX_BYTES) {
      give(new AnswerEvent.Fail(Fault.broken("The upstream's answer is too long.")));
    } else if (event.dataStart() < event.dataEnd()) {
      String name = event.name();
      read(name == null ? "" : name, event.data());
    } else if (event.array()[event.offset()] == ':') {
      // Comments keep connections open: they are passed on as they are.
      int from = event.offset();
      out.raw(Arrays.copyOfRange(event.array(), from, from + event.length()));
      whole = out.length();
    }
  }

  /** Takes what the target has sent of an event when it closed the stream. */
  private void last(SseEvent event) {
    if (event.hasWholeData()) {
      event(event);
    }
  }

  private void read(String name, byte[] data) {
    String text = data.length <= 16 ? new String(data, StandardCharsets.UTF_8).strip() : "";
    if (text.equals(DONE)) {
      reader.done(this::give);
      return;
    }
    try {
      reader.read(name, parsed(data), this::give);
    } catch (MalformedJsonException e) {
      give(new AnswerEvent.Fail(Fault.broken("The upstream sent an event that cannot be read.")));
    }
  }

  private static JsonValue parsed(byte[] data) throws MalformedJsonException {
    try {
      return JsonValue.parse(data, EVENT);
    } catch (MalformedJsonException e) {
      return JsonValue.parse(NonFinite.asNull(data), EVENT);
    }
  }

  private void give(AnswerEvent event) {
    if (ended) {
      return;
    }
    if (event instanceof AnswerEvent.Finish finish) {
      finished.accept(finish);
    }
    writer.write(event, out);
    whole = out.length();
    ended = event instanceof AnswerEvent.End || event instanceof AnswerEvent.Fail;
  }
}
