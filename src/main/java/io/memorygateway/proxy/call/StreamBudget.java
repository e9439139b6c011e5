package io.memorygateway.proxy.call;

import io.memorygateway.budget.hold.OpenHold;
import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.AnswerReader;
import io.memorygateway.format.translation.AnswerWriter;
import io.memorygateway.format.translation.Called;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Names;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.sse.SseEvent;
import io.memorygateway.sse.SseSplitter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts the output of a stream that budgets cover, holds more when it needs more, and ends it as
 * its format ends an answer that came to its limit where they leave no more (contract §15). For one
 * thread.
 */
final class StreamBudget {
  private static final int BYTES_PER_TOKEN = 4;
  private static final int EXPECTED = 1024;
  private static final ParseOptions EVENT = ParseOptions.LENIENT.withMaxValues(500_000);

  /** The least that is asked for at a time. */
  private static final long LEAST = 256;

  private final OpenHold hold;
  private final Translator format;
  private final byte[] body;
  private final TokenCounter counter = new TokenCounter();
  private final AnswerReader reader;
  private final List<AnswerEvent> events = new ArrayList<>();

  /** Ids of items of Responses by their index. */
  private final Map<Long, String> items = new HashMap<>();

  private long sequence = -1;
  private long output;

  /**
   * Creates the budget of a stream.
   *
   * @param body of the call, in the format of the stream
   */
  StreamBudget(OpenHold hold, Translator format, byte[] body) {
    this.hold = hold;
    this.format = format;
    this.body = body;
    this.reader = format.openReader("");
  }

  /**
   * Counts an event, or a piece of a long one, that is about to be passed on.
   *
   * @return false if it is more than budgets leave
   */
  boolean allows(SseEvent event) {
    long before = output;
    int known = events.size();
    long numbered = sequence;
    if (event.startsEvent() && event.endsEvent()) {
      read(event);
    } else {
      output += event.length() / BYTES_PER_TOKEN;
    }
    if (!event.startsEvent()) {
      return true; // nothing can end a stream in the middle of an event
    }
    if (output == before) {
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
    events.subList(known, events.size()).clear();
    output = before;
    sequence = numbered;
    return false;
  }

  private void read(SseEvent event) {
    if (event.dataStart() == event.dataEnd()) {
      return;
    }
    String name = event.name();
    try {
      JsonValue data = JsonValue.parse(event.data(), EVENT);
      remember(data);
      reader.read(name == null ? "" : name, data, this::take);
    } catch (MalformedJsonException e) {
      // Chat's last line, or nothing that has tokens.
    }
  }

  private void remember(JsonValue data) {
    JsonValue number = data.get("sequence_number");
    if (number == null) {
      return;
    }
    sequence++;
    JsonValue item = data.get("item");
    if (item != null && data.text("type").equals("response.output_item.added")) {
      items.put((long) items.size(), item.text("id"));
    }
  }

  private void take(AnswerEvent event) {
    if (event instanceof AnswerEvent.Text text) {
      output += counter.count(text.delta());
    } else if (event instanceof AnswerEvent.Refusal refusal) {
      output += counter.count(refusal.delta());
    } else if (event instanceof AnswerEvent.Thought thought) {
      output += counter.count(thought.delta());
    } else if (event instanceof AnswerEvent.Arguments arguments) {
      output += counter.count(arguments.delta());
    } else if (event instanceof AnswerEvent.Call call) {
      output += counter.count(call.name());
    }
    boolean isEnd =
        event instanceof AnswerEvent.Finish
            || event instanceof AnswerEvent.Fail
            || event instanceof AnswerEvent.End
            || event instanceof AnswerEvent.Sealed;
    if (!isEnd) {
      events.add(event);
    }
  }

  /** What was counted of a stream that was ended. */
  Figures counted() {
    return Figures.NONE.with(Figure.INPUT_TOKENS, hold.input()).with(Figure.OUTPUT_TOKENS, output);
  }

  /** The events that end the stream. */
  byte[] end() {
    JsonWriter begun = new JsonWriter(EXPECTED);
    AnswerWriter writer = format.openWriter(called());
    events.forEach(event -> writer.write(event, begun));
    JsonWriter end = new JsonWriter(EXPECTED);
    Usage usage = new Usage(counted());
    writer.write(new AnswerEvent.Finish(Stop.LENGTH, null, usage), end);
    writer.write(new AnswerEvent.End(), end);
    return sequence < 0 ? end.toBytes() : renumbered(begun.toBytes(), end.toBytes());
  }

  private Called called() {
    try {
      JsonValue root = JsonValue.parse(body);
      Names names = new Names(format.read(root, new Dropped()).tools());
      return new Called(root, names, null, "", hold::input, counter::count);
    } catch (MalformedBodyException | MalformedJsonException e) {
      throw new IllegalStateException("a call cannot be read that was read before", e);
    }
  }

  /** The events of Responses with the numbers and ids that go on with those that were sent. */
  private byte[] renumbered(byte[] begun, byte[] end) {
    Map<Long, String> own = new HashMap<>();
    each(
        begun,
        data -> {
          JsonValue item = data.get("item");
          if (item != null && data.text("type").equals("response.output_item.added")) {
            own.put((long) own.size(), item.text("id"));
          }
        });
    StringBuilder all = new StringBuilder();
    each(
        end,
        data -> {
          sequence++;
          String text = data.with("sequence_number", Long.toString(sequence)).raw();
          for (Map.Entry<Long, String> item : own.entrySet()) {
            String sent = items.get(item.getKey());
            if (sent != null) {
              text = text.replace(JsonWriter.quote(item.getValue()), JsonWriter.quote(sent));
            }
          }
          all.append("event: ").append(data.text("type")).append("\ndata: ").append(text);
          all.append("\n\n");
        });
    return all.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void each(byte[] stream, java.util.function.Consumer<JsonValue> take) {
    try {
      SseSplitter splitter = new SseSplitter(stream.length + 1);
      splitter.feed(
          stream,
          0,
          stream.length,
          event -> {
            try {
              take.accept(JsonValue.parse(event.data()));
            } catch (MalformedJsonException e) {
              throw new IllegalStateException("an event cannot be read that was just written", e);
            }
          });
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e); // the sink throws none
    }
  }
}
