package io.memorygateway.memory.write;

import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.CanonicalJson;
import io.memorygateway.json.Characters;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.ValueCount;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.rows.Appended;
import io.memorygateway.memory.rows.MessageDao;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.memory.rows.ThreadHead;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Result of planning an append: rows to store, and messages to answer with.
 *
 * @param thread head after the append
 * @param stored new rows
 * @param answered new and existing rows, in the order of the request
 */
record MessagePlan(ThreadHead thread, List<MessageRow> stored, List<MessageRow> answered) {

  /**
   * Plans to store messages at the end of a thread. A message whose id exists with the same role
   * and content, whatever its type, is found instead of stored.
   *
   * @param found existing messages of the thread with given ids, by id
   * @throws ApiException 409 if an id is used by another message
   */
  static MessagePlan of(
      ThreadHead thread,
      List<NewMessage> messages,
      Map<String, MessageRow> found,
      Instant now,
      Supplier<String> newId) {
    Map<String, MessageRow> known = new HashMap<>(found);
    // Many small messages may be compared with one that is large.
    Map<String, String> forms = new HashMap<>();
    List<MessageRow> answered = new ArrayList<>(messages.size());
    List<MessageRow> stored = new ArrayList<>(messages.size());
    long bytes = 0;
    for (NewMessage message : messages) {
      MessageRow existing = message.id() == null ? null : known.get(message.id());
      if (existing == null) {
        MessageRow row = row(message, thread.nextSeq() + stored.size(), now, newId);
        stored.add(row);
        answered.add(row);
        known.put(row.publicId(), row);
        bytes += Characters.utf8Length(row.content());
      } else if (isSame(
          existing,
          message,
          content -> forms.computeIfAbsent(existing.publicId(), id -> form(content)))) {
        answered.add(existing);
      } else {
        throw ApiException.conflict("A message id is already used by a different message.");
      }
    }
    return new MessagePlan(
        stored.isEmpty() ? thread : thread.advanced(stored.size(), bytes, now), stored, answered);
  }

  List<MessageDao.Insert> inserts() {
    return stored.stream().map(row -> MessageDao.Insert.of(thread.id(), row)).toList();
  }

  /** Bytes that the new rows count towards the project's storage limit. */
  long storageBytes() {
    return StorageLimit.bytesOf(stored.stream().map(MessageRow::content));
  }

  /** Bytes of the contents that are answered beside those that are stored. */
  long foundBytes() {
    return bytes(answered) - bytes(stored);
  }

  private static long bytes(List<MessageRow> rows) {
    // One that is large may be answered many times.
    IdentityHashMap<MessageRow, Long> lengths = new IdentityHashMap<>();
    return rows.stream()
        .mapToLong(
            row -> lengths.computeIfAbsent(row, each -> Characters.utf8Length(each.content())))
        .sum();
  }

  /**
   * What there will be.
   *
   * @param call that the messages answer; null for none
   */
  Appended appended(@Nullable TurnCall call) {
    Appended all = new Appended(thread, answered, answered.size() - stored.size());
    return call == null || stored.isEmpty() ? all : call.at(all);
  }

  private static MessageRow row(NewMessage message, long seq, Instant now, Supplier<String> newId) {
    return new MessageRow(
        seq,
        Objects.requireNonNullElseGet(message.id(), newId),
        message.role(),
        message.type(),
        message.content(),
        Objects.requireNonNullElse(message.createdAt(), now),
        message.incomplete(),
        false,
        message.tokens());
  }

  /** Whether a message is stored as this row, whatever its id. */
  static boolean isSame(MessageRow existing, NewMessage message) {
    return isSame(existing, message, MessagePlan::form);
  }

  private static boolean isSame(
      MessageRow existing, NewMessage message, UnaryOperator<String> formOfExisting) {
    return existing.role().equals(message.role())
        && (existing.content().equals(message.content())
            || formOfExisting.apply(existing.content()).equals(form(message.content())));
  }

  /**
   * What is the same of equal contents: of those with too many values to parse here, their text.
   */
  private static String form(String content) {
    return ValueCount.of(content.getBytes(StandardCharsets.UTF_8)) <= NewMessage.MAX_VALUES
        ? CanonicalJson.of(JsonValue.ofStored(content))
        : content;
  }
}
