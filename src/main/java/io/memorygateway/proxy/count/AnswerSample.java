package io.memorygateway.proxy.count;

import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.Format;
import io.memorygateway.format.answer.StartEvent;
import io.memorygateway.format.translation.Answer;
import io.memorygateway.format.translation.CountedStream;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.sse.SseEvent;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of an answer, by which its tokens are counted if it ends without saying them: all of
 * a whole one, of a stream its beginning and its length. For one thread.
 */
public final class AnswerSample {
  private static final int MAX_BYTES = 32 << 10;

  private final Format format;
  private final ByteArrayOutputStream begin = new ByteArrayOutputStream(0);
  private byte @Nullable [] whole;
  private @Nullable Answer answer;
  private boolean full;
  private long length;
  private long tokens = Figures.UNKNOWN;
  private boolean stream;

  /** Whether a stream had any content. */
  private boolean begun;

  /** Whether it had any event without an error, if only such as begin an answer. */
  private boolean came;

  /** Whether it reported an error before its content. */
  private boolean failed;

  /** Whether it is the target's answer as received, not what was sent to the caller. */
  private boolean taken;

  /** Whether what was said of the output is not all, as of a stream that ended too early. */
  private boolean cut;

  public AnswerSample(Format format) {
    this.format = format;
  }

  /** Takes the next event of a stream, whole or in pieces. */
  public void accept(SseEvent event) {
    // Of an event in pieces it is not asked what it says: it is long.
    if (!begun && event.startsEvent()) {
      boolean whole = event.endsEvent() || event.hasWholeData();
      StartEvent kind = whole ? format.startEvent(event) : StartEvent.CONTENT;
      begun = kind == StartEvent.CONTENT;
      came |= kind == StartEvent.EMPTY || kind == StartEvent.END;
      failed |= kind == StartEvent.ERROR;
    }
    if (event.startsEvent() && event.array()[event.offset()] == ':') {
      return;
    }
    length += event.length();
    full |= begin.size() + event.length() > MAX_BYTES;
    if (!full) {
      begin.write(event.array(), event.offset(), event.length());
    }
  }

  /** Whether any of the answer has come: start-up events, comments and errors are none of it. */
  public boolean hasBegun() {
    return begun;
  }

  /**
   * Takes the end of a stream, unless all of it was taken before.
   *
   * @param broken whether its target broke it off, and neither the caller nor this node
   * @param counted its tokens, if they were counted as it was passed on, or {@link Figures#UNKNOWN}
   */
  public void ended(boolean complete, boolean broken, long counted) {
    if (!taken) {
      // Of what failed before it began to answer nothing is counted (contract §15).
      stream = begun || (!failed && (complete || (came && !broken)));
      cut = !complete;
      tokens = stream ? counted : Figures.UNKNOWN;
    }
  }

  public void whole(byte[] body) {
    whole = body;
    length = body.length;
  }

  /**
   * Takes what came from the target, however much of it the caller gets.
   *
   * @param all null if the target has said what it cost
   */
  public void taken(@Nullable Answer all) {
    taken = true;
    cut = all != null;
    answer = all;
  }

  /** Takes a whole answer that came from the target and cannot be read here. */
  public void takenUnread(long bytes) {
    taken = true;
    tokens = bytes / Uncounted.BYTES_PER_TOKEN;
  }

  /** The tokens of all that the target gave, which takes as long as it is. */
  private static long tokens(Answer all) {
    TokenCounter counter = new TokenCounter();
    return all.events().stream()
        .mapToLong(event -> CountedStream.tokens(event, counter::count))
        .sum();
  }

  /**
   * What is to be counted, as the upstream did not say it; null for nothing.
   *
   * @param asked the body that went up
   * @param usage that the upstream did say
   * @param knowsDetail see {@link Uncounted}
   */
  public @Nullable Uncounted uncounted(
      Endpoint endpoint,
      byte @Nullable [] asked,
      Figures usage,
      boolean hasOutput,
      boolean knowsDetail) {
    boolean came = stream || whole != null || answer != null || tokens >= 0;
    boolean input = came && usage.get(Figure.INPUT_TOKENS) < 0;
    boolean output = came && hasOutput && (cut || usage.get(Figure.OUTPUT_TOKENS) < 0);
    if (!input && !output) {
      return null;
    }
    if (output && answer != null) {
      tokens = tokens(answer);
      answer = null;
    }
    return new Uncounted(
        endpoint,
        input ? asked : null,
        !output || tokens >= 0 ? null : stream ? begin.toByteArray() : whole,
        length,
        stream,
        output ? tokens : Figures.UNKNOWN,
        knowsDetail,
        false);
  }
}
