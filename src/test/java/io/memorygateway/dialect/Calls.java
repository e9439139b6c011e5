package io.memorygateway.dialect;

import static io.memorygateway.dialect.Answers.bytes;
import static io.memorygateway.dialect.Answers.text;

import io.memorygateway.json.JsonValue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Calls and their contexts, written with single quotes for double ones. */
final class Calls {
  private Calls() {}

  static String json(String singleQuoted) {
    return singleQuoted.replace('\'', '"');
  }

  static Conversation read(Dialect dialect, String body) {
    try {
      return dialect.read(RequestBody.parse(bytes(json(body))));
    } catch (MalformedBodyException e) {
      throw new IllegalArgumentException(e);
    }
  }

  static StoredMessage stored(String role, String content) {
    return StoredMessage.of(role, json(content));
  }

  /** What goes upstream, the model being {@code m}; with single quotes. */
  static String write(
      Dialect dialect,
      String body,
      @Nullable String observations,
      List<StoredMessage> stored,
      int newFrom) {
    Conversation fresh = fresh(read(dialect, body), new Alignment(newFrom, 0, stored.size()));
    byte[] upstream = dialect.write(fresh, "m", new MemoryContext(observations, stored));
    try {
      JsonValue.parse(upstream);
    } catch (IOException e) {
      throw new UncheckedIOException(text(upstream), e);
    }
    return text(upstream).replace('"', '\'');
  }

  /** What is new of a call, the thread having none of its messages. */
  static Conversation fresh(Conversation call, Alignment alignment) {
    int[] places = new int[call.messages().size()];
    Arrays.fill(places, -1);
    return call.onlyNew(alignment, places);
  }

  /** Only the messages that go upstream before the user's {@code next}. */
  static String render(Dialect dialect, StoredMessage... stored) {
    String member = dialect instanceof ResponsesDialect ? "input" : "messages";
    String start = "{'model':'m',";
    if (dialect instanceof MessagesDialect) {
      start += "'tools':[{}],";
    }
    String body = start + "'" + member + "':[{'role':'user','content':'next'}]}";
    String whole = write(dialect, body, null, List.of(stored), 0);
    String before = start + "'" + member + "':[";
    String after = "{'role':'user','content':'next'}]}";
    if (!whole.startsWith(before) || !whole.endsWith(after)) {
      return whole;
    }
    return whole.substring(before.length(), whole.length() - after.length());
  }
}
