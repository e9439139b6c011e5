package io.memorygateway.proxy.call;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.common.primitives.Bytes;
import io.memorygateway.json.Edit;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.json.NonFinite;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.sse.EventSplitter;
import io.memorygateway.sse.SseEvent;
import io.memorygateway.sse.SseSplitter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A stream on its way to a caller that asked for the model by an alias: it names the alias in the
 * place of the model. All other bytes are unchanged.
 */
final class AliasedAnswer implements EventSplitter {
  private static final byte[] MEMBER = "\"model\"".getBytes(US_ASCII);

  /** Objects of an event or an answer that name the model, besides itself. */
  private static final List<String> HOLDERS = List.of("message", "response");

  private static final ParseOptions HEAD = ParseOptions.LENIENT.withLevels(2);

  private final String alias;
  private final Consumer<String> answering;
  private final SseSplitter splitter;
  private final SseEvent view = new SseEvent();

  /**
   * @param answering gets the model that is replaced
   * @param splitter events that it passes on in pieces are not changed: long ones have no model
   */
  AliasedAnswer(String alias, Consumer<String> answering, SseSplitter splitter) {
    this.alias = alias;
    this.answering = answering;
    this.splitter = splitter;
  }

  @Override
  public void feed(byte[] chunk, int offset, int length, Sink sink) throws IOException {
    splitter.feed(chunk, offset, length, event -> sink.event(renamed(event)));
  }

  @Override
  public void finish(Sink sink) throws IOException {
    splitter.finish(sink);
  }

  @Override
  public boolean inEvent() {
    return splitter.inEvent();
  }

  private SseEvent renamed(SseEvent event) {
    if (!event.startsEvent() || !event.endsEvent()) {
      return event;
    }
    byte[] data = event.data();
    byte[] renamed = of(data, alias, answering);
    // Data of one line stand in the event as they are.
    if (renamed == data || event.dataArray() != event.array()) {
      return event;
    }
    int start = event.offset();
    int end = event.dataEnd();
    JsonWriter out = new JsonWriter(event.length() + renamed.length);
    out.raw(event.array(), start, event.dataStart() - start).raw(renamed);
    out.raw(event.array(), end, start + event.length() - end);
    view.set(out.buffer(), 0, out.length(), true, true);
    return view;
  }

  /** The JSON of an answer or of an event that names the alias; the same array if it names none. */
  static byte[] of(byte[] json, String alias) {
    return of(json, alias, name -> {});
  }

  private static byte[] of(byte[] json, String alias, Consumer<String> answering) {
    if (Bytes.indexOf(json, MEMBER) < 0) {
      return json;
    }
    List<Edit> edits = new ArrayList<>();
    try {
      JsonValue root = head(json);
      add(edits, root, alias, answering);
      for (String holder : HOLDERS) {
        JsonValue inner = root.isObject() ? root.get(holder) : null;
        add(edits, inner, alias, answering);
      }
    } catch (MalformedJsonException e) {
      return json;
    }
    return edits.isEmpty() ? json : Edit.apply(json, edits);
  }

  private static JsonValue head(byte[] json) throws MalformedJsonException {
    try {
      return JsonValue.parse(json, HEAD);
    } catch (MalformedJsonException e) {
      return JsonValue.parse(NonFinite.inPlace(json), HEAD);
    }
  }

  private static void add(
      List<Edit> edits, @Nullable JsonValue holder, String alias, Consumer<String> answering) {
    JsonValue model = holder == null || !holder.isObject() ? null : holder.get("model");
    if (model != null && model.isString()) {
      answering.accept(model.text());
      edits.add(new Edit(model.start(), model.end(), JsonWriter.quote(alias)));
    }
  }
}
