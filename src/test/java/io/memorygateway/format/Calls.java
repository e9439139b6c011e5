package io.memorygateway.format;

import static io.memorygateway.format.Answers.bytes;
import static io.memorygateway.format.Answers.text;

import io.memorygateway.format.align.Alignment;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.MemoryContext;
import io.memorygateway.format.call.ProviderTraits;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.json.JsonValue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Calls and their contexts, written with single quotes for double ones. */
public final class Calls {
  private Calls() {}

  public static String json(String singleQuoted) {
    return singleQuoted.replace('\'', '"');
  }

  /** A model of a provider that takes all. */
  public static UpstreamModel model(String name) {
    return new UpstreamModel(name, ProviderTraits.ALL, 0);
  }

  /** A model of a provider that takes nothing but what all take. */
  public static UpstreamModel strict(String name) {
    return new UpstreamModel(name, new ProviderTraits(Set.of(), false, false), 0);
  }

  public static RequestBody body(String body) {
    try {
      return RequestBody.parse(bytes(json(body)));
    } catch (MalformedBodyException e) {
      throw new IllegalArgumentException(e);
    }
  }

  public static Conversation read(Format format, String body) {
    try {
      return format.read(body(body));
    } catch (MalformedBodyException e) {
      throw new IllegalArgumentException(e);
    }
  }

  public static StoredMessage stored(String role, String content) {
    return StoredMessage.of(role, json(content));
  }

  /** What goes upstream, the model being {@code m}; with single quotes. */
  public static String write(
      Format format,
      String body,
      @Nullable String observations,
      List<StoredMessage> stored,
      int newFrom) {
    Conversation fresh = fresh(read(format, body), new Alignment(newFrom, 0, stored.size()));
    byte[] upstream = format.write(fresh, model("m"), new MemoryContext(observations, stored));
    try {
      JsonValue.parse(upstream);
    } catch (IOException e) {
      throw new UncheckedIOException(text(upstream), e);
    }
    return text(upstream).replace('"', '\'');
  }

  /** What is new of a call, the thread having none of its messages. */
  public static Conversation fresh(Conversation call, Alignment alignment) {
    int[] places = new int[call.messages().size()];
    Arrays.fill(places, -1);
    return call.onlyNew(alignment, places, Set.of());
  }

  /** Only the messages that go upstream before the user's {@code next}. */
  public static String render(Format format, StoredMessage... stored) {
    String member = format instanceof ResponsesFormat ? "input" : "messages";
    String start = "{'model':'m',";
    if (format instanceof MessagesFormat) {
      start += "'tools':[{}],";
    }
    String body = start + "'" + member + "':[{'role':'user','content':'next'}]}";
    String whole = write(format, body, null, List.of(stored), 0);
    String before = start + "'" + member + "':[";
    String after = "{'role':'user','content':'next'}]}";
    if (!whole.startsWith(before) || !whole.endsWith(after)) {
      return whole;
    }
    return whole.substring(before.length(), whole.length() - after.length());
  }
}
