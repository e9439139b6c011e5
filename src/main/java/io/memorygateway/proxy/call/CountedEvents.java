package io.memorygateway.proxy.call;

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
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.sse.SseSplitter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A stream of Messages or Responses, in events that begin and end items: what is open is ended with
 * the stream.
 */
final class CountedEvents implements CountedStream {
  private static final int EXPECTED = 1024;

  private final Translator format;
  private final byte[] body;
  private final TokenCounter counter;
  private final AnswerReader reader;
  private final List<AnswerEvent> events = new ArrayList<>();

  /** Ids of items of Responses by their index. */
  private final Map<Long, String> items = new HashMap<>();

  private final BitSet begun = new BitSet();
  private long sequence = -1;

  /** Of events and sequence numbers, how many there were before the last event. */
  private int known;

  private long numbered = -1;

  /**
   * A stream of which nothing is read.
   *
   * @param body of the call, in the format of the stream
   */
  CountedEvents(Translator format, byte[] body, TokenCounter counter) {
    this.format = format;
    this.body = body;
    this.counter = counter;
    this.reader = format.openReader("");
  }

  @Override
  public long read(String name, JsonValue data, boolean keeps) {
    known = events.size();
    numbered = sequence;
    remember(data);
    long[] tokens = {0};
    reader.read(
        name,
        data,
        event -> {
          tokens[0] += CountedStream.tokens(event, counter);
          take(event, keeps);
        });
    return tokens[0];
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

  private void take(AnswerEvent event, boolean keeps) {
    boolean adds = !event.delta().isEmpty() || event instanceof AnswerEvent.Cited;
    if (!keeps && adds && begun.get(event.piece())) {
      return;
    }
    if (adds) {
      begun.set(event.piece());
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

  @Override
  public void forget() {
    events.subList(known, events.size()).clear();
    sequence = numbered;
  }

  @Override
  public byte[] end(long input, long output) {
    JsonWriter begun = new JsonWriter(EXPECTED);
    AnswerWriter writer = format.openWriter(called(input));
    events.forEach(event -> writer.write(event, begun));
    JsonWriter end = new JsonWriter(EXPECTED);
    Figures counted =
        Figures.NONE.with(Figure.INPUT_TOKENS, input).with(Figure.OUTPUT_TOKENS, output);
    writer.write(new AnswerEvent.Finish(Stop.LENGTH, null, new Usage(counted)), end);
    writer.write(new AnswerEvent.End(), end);
    return sequence < 0 ? end.toBytes() : renumbered(begun.toBytes(), end.toBytes());
  }

  private Called called(long input) {
    JsonValue root;
    try {
      root = JsonValue.parse(body);
    } catch (MalformedJsonException e) {
      throw new IllegalStateException("a call cannot be read that was read before", e);
    }
    Names names;
    try {
      names = new Names(format.read(root, new Dropped()).tools());
    } catch (MalformedBodyException e) {
      names = new Names(List.of()); // what no other format can say; only names of tools are needed
    }
    return new Called(root, names, null, "", () -> input, counter::count);
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

  private static void each(byte[] stream, Consumer<JsonValue> take) {
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
