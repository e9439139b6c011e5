package io.memorygateway.transfer;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.Characters;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonValue.Kind;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.json.Timestamps;
import io.memorygateway.json.Utf8;
import io.memorygateway.memory.rows.Identifier;
import io.memorygateway.memory.rows.MessageGap;
import io.memorygateway.memory.rows.ThreadTable;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * A column of a file of threads: what it may hold is what the API and the observer could store.
 *
 * @param type in the database
 */
record ThreadColumn(String name, String type, boolean nullable, Check check) {
  /** What files of earlier versions lack; a name stays for as long as they are to be imported. */
  private static final Set<String> LATER = Set.of("recall_scope");

  /** No thread comes to more messages, or tokens. */
  private static final long MAX_NUMBER = 1L << 52;

  private static final int MAX_TOKENS = 100_000_000;
  private static final int MAX_METADATA_BYTES = 256 << 10;
  private static final int MAX_TEXT_BYTES = 64 << 10;
  private static final int MAX_TITLE = 4000;
  private static final int MAX_PRINTABLE = 64;

  /**
   * What values may be.
   *
   * @param what it must be, for an error
   */
  private record Check(Predicate<JsonNode> allowed, String what) {}

  /** Whether rows that an earlier version has exported lack it. */
  boolean isLater() {
    return nullable && LATER.contains(name);
  }

  /** Reads from the schema what the exported columns of each table are. */
  static Map<ThreadTable, List<ThreadColumn>> read(Handle handle) {
    Map<ThreadTable, List<ThreadColumn>> columns = new EnumMap<>(ThreadTable.class);
    for (ThreadTable table : ThreadTable.exported()) {
      columns.put(
          table,
          handle
              .createQuery(
                  """
                  SELECT column_name, data_type, is_nullable FROM information_schema.columns
                  WHERE table_schema = DATABASE() AND table_name = :table AND column_name IN (<columns>)
                  ORDER BY FIELD(column_name, <columns>)
                  """)
              .bind("table", table.tableName())
              .bindList("columns", table.columns())
              .map(
                  (row, context) ->
                      of(table, row.getString(1), row.getString(2), row.getString(3).equals("YES")))
              .list());
    }
    return columns;
  }

  private static ThreadColumn of(ThreadTable table, String name, String type, boolean nullable) {
    Check check =
        switch (table.tableName() + "." + name) {
          case "threads.title" ->
              text(
                  text -> text.codePointCount(0, text.length()) <= MAX_TITLE,
                  "a text of at most " + MAX_TITLE + " characters");
          case "threads.metadata", "observation_records.config" ->
              json(MAX_METADATA_BYTES, Kind.OBJECT);
          case "messages.created_at" ->
              text(
                  text -> isTime(text, Instant.MIN),
                  "a time from 1583 on, such as 2026-01-31T12:00:00Z");
          case "messages.role" -> word(StoredMessage.ROLES);
          case "messages.type" -> word(StoredMessage.TYPES);
          case "messages.content" -> json(Integer.MAX_VALUE, Kind.STRING, Kind.ARRAY, Kind.OBJECT);
          case "message_gaps.deleted" -> number(1, MessageGap.SIZE);
          case "observation_states.message_tokens", "observation_states.observation_tokens" ->
              number(1, MAX_TOKENS);
          case "observation_states.recall_tokens" -> number(0, 1_000_000);
          case "observation_states.recall_scope" -> word(Set.of("thread", "resource"));
          case "observation_states.time_zone" ->
              text(text -> isPrintable(text) && isRead(ZoneId::of, text), "a time zone");
          case "observation_states.observed_seq" -> number(-1, MAX_NUMBER);
          case "observation_records.origin_type" ->
              word(Set.of("initial", "observation", "reflection"));
          case "observation_chunks.message_ids" ->
              text(ThreadColumn::isListOfStrings, "the text of a JSON array of strings");
          default -> ofType(type);
        };
    return new ThreadColumn(name, type, nullable, check);
  }

  private static Check ofType(String type) {
    return switch (type) {
      case "varbinary" ->
          text(
              text -> isRead(id -> Identifier.check("id", id), text),
              "an id of 1 to 255 characters");
      case "char" -> text(text -> isRead(UUID::fromString, text), "a UUID");
      case "varchar" -> text(ThreadColumn::isPrintable, "1 to 64 characters of ASCII");
      case "text" ->
          text(text -> Characters.utf8Length(text) < MAX_TEXT_BYTES, "a text below 64 KiB");
      case "longtext" -> text(text -> true, "a text");
      case "datetime" ->
          text(
              text -> isTime(text, Instant.EPOCH),
              "a time from 1970 on, such as 2026-01-31T12:00:00Z");
      case "tinyint" -> number(0, 1);
      case "int" -> number(0, Integer.MAX_VALUE);
      case "bigint" -> number(0, MAX_NUMBER);
      default -> throw new IllegalStateException("no check for columns of type " + type);
    };
  }

  private static Check number(long min, long max) {
    return new Check(
        value ->
            value.isIntegralNumber()
                && value.canConvertToLong()
                && value.longValue() >= min
                && value.longValue() <= max,
        "a whole number from " + min + " to " + max);
  }

  private static Check text(Predicate<String> allowed, String what) {
    return new Check(
        value ->
            value.isTextual()
                && Characters.areStorable(value.textValue())
                && allowed.test(value.textValue()),
        what);
  }

  private static Check word(Set<String> words) {
    return text(words::contains, "one of " + String.join(", ", words.stream().sorted().toList()));
  }

  private static Check json(int maxBytes, Kind... kinds) {
    return text(
        text -> {
          byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
          JsonValue value = bytes.length <= maxBytes ? parsed(bytes, 1) : null;
          return value != null && Set.of(kinds).contains(value.kind());
        },
        "the text of a JSON value of the right kind and size");
  }

  private static boolean isListOfStrings(String text) {
    JsonValue value = parsed(text.getBytes(StandardCharsets.UTF_8), 2);
    return value != null
        && value.is(Kind.ARRAY)
        && value.items().stream().allMatch(item -> item.is(Kind.STRING));
  }

  /** JSON with some levels of it as a tree; null if it is none that may stand within other JSON. */
  private static @Nullable JsonValue parsed(byte[] text, int levels) {
    try {
      return Utf8.hasByteOrderMark(text)
          ? null
          : JsonValue.parse(text, ParseOptions.LENIENT.withLevels(levels));
    } catch (MalformedJsonException e) {
      return null;
    }
  }

  /** Whether a text is a time that the database has, and not before another one. */
  private static boolean isTime(String text, Instant first) {
    try {
      Instant time = Instant.parse(text);
      return !time.isBefore(first) && Timestamps.isInRange(time);
    } catch (DateTimeException e) {
      return false;
    }
  }

  private static boolean isPrintable(String text) {
    return !text.isEmpty()
        && text.length() <= MAX_PRINTABLE
        && text.chars().allMatch(c -> c >= '!' && c <= '~');
  }

  /** Whether a text is written as what is read of it. */
  private static boolean isRead(Function<String, Object> reader, String text) {
    try {
      return text.equals(reader.apply(text).toString());
    } catch (ApiException | DateTimeException | IllegalArgumentException e) {
      return false;
    }
  }

  /** The fault of a value; null if it may be stored. */
  @Nullable String fault(JsonNode value) {
    return (nullable && value.isNull()) || check.allowed.test(value)
        ? null
        : name + " must be " + check.what + (nullable ? ", or null" : "");
  }
}
