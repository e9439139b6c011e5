package io.memorygateway.proxy.call;

import io.memorygateway.budget.hold.OpenHold;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.sse.SseEvent;
import java.util.function.LongPredicate;

/**
 * Counts the output of a stream that budgets cover, holds more when it needs more, and ends it as
 * its format ends an answer that came to its limit where they leave no more (contract §15). For one
 * thread.
 */
final class StreamBudget {
  private static final int BYTES_PER_TOKEN = 4;
  private static final ParseOptions EVENT = ParseOptions.LENIENT.withMaxValues(500_000);

  /**
   * Bytes of a stream that is read event by event, as of a translated one; the rest is estimated.
   */
  private static final long MAX_READ = 32 << 20;

  /** Heap that is reserved at a time for what is kept of the events: as much as they have bytes. */
  private static final long STEP = 64 << 10;

  /** The least that is asked for at a time. */
  private static final long LEAST = 256;

  private final OpenHold hold;
  private final CountedStream stream;
  private final LongPredicate reserve;
  private long output;
  private long taken;
  private long reserved = STEP;
  private boolean hasRoom = true;

  /**
   * Creates the budget of a stream.
   *
   * @param endpoint that is called
   * @param reserve whether there is heap for so many bytes more until the stream has ended
   */
  StreamBudget(OpenHold hold, Endpoint endpoint, LongPredicate reserve) {
    this.hold = hold;
    this.reserve = reserve;
    TokenCounter counter = new TokenCounter();
    this.stream =
        switch (endpoint) {
          case CHAT, COMPLETIONS -> CountedChunks.of(endpoint, counter);
          case MESSAGES ->
              new CountedBlocks(endpoint.format().translator().openReader(""), counter);
          default -> new CountedItems(endpoint.format().translator().openReader(""), counter);
        };
  }

  /**
   * Counts an event, or a piece of a long one, that is about to be passed on.
   *
   * @return false if it is more than budgets leave
   */
  boolean allows(SseEvent event) {
    taken += event.length();
    while (hasRoom && taken > reserved) {
      hasRoom = reserve.test(STEP);
      reserved += STEP;
    }
    boolean whole = event.startsEvent() && event.endsEvent() && taken <= MAX_READ;
    long tokens = whole ? read(event) : event.length() / BYTES_PER_TOKEN;
    output += tokens;
    // Nothing can end a stream in the middle of an event.
    if (tokens == 0 || !event.startsEvent()) {
      return true;
    }
    long missing = output - hold.output();
    if (missing <= 0
        || hold.more(Math.max(missing, hold.step()))
        || hold.more(Math.max(missing, LEAST))
        || hold.more(missing)) {
      hold.saw(output);
      return true;
    }
    if (whole) {
      stream.forget();
    }
    output -= tokens;
    return false;
  }

  private long read(SseEvent event) {
    if (event.dataStart() == event.dataEnd()) {
      return 0;
    }
    String name = event.name();
    try {
      return stream.read(name == null ? "" : name, JsonValue.parse(event.data(), EVENT), hasRoom);
    } catch (MalformedJsonException e) {
      return 0; // Chat's last line, or nothing that has tokens
    }
  }

  /** The tokens of what was passed on. */
  long output() {
    return output;
  }

  /** The events that end the stream. */
  byte[] end() {
    return stream.end(hold.input(), output);
  }
}
