package io.memorygateway.transfer;

import static io.memorygateway.transfer.ThreadColumn.id;
import static io.memorygateway.transfer.ThreadColumn.json;
import static io.memorygateway.transfer.ThreadColumn.longText;
import static io.memorygateway.transfer.ThreadColumn.number;
import static io.memorygateway.transfer.ThreadColumn.printable;
import static io.memorygateway.transfer.ThreadColumn.shortText;
import static io.memorygateway.transfer.ThreadColumn.strings;
import static io.memorygateway.transfer.ThreadColumn.text;
import static io.memorygateway.transfer.ThreadColumn.time;
import static io.memorygateway.transfer.ThreadColumn.uuid;
import static io.memorygateway.transfer.ThreadColumn.word;
import static io.memorygateway.transfer.ThreadColumn.zone;

import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonValue.Kind;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The tables and columns of a file of threads. The export writes them and nothing else, and the
 * import takes them and nothing else: it computes the rest.
 */
final class ThreadTables {
  /**
   * A table with rows of threads.
   *
   * @param order of its rows in the file, so that the file is the same each time: ascending, and
   *     without equal ones
   */
  record ThreadTable(String name, String order, List<ThreadColumn> columns) {
    ThreadTable {
      columns = List.copyOf(columns);
    }

    String columnList() {
      return columns.stream().map(ThreadColumn::name).collect(Collectors.joining(", "));
    }
  }

  static final String MESSAGES = "messages";
  static final String HEADS = "thread_heads";

  private static final int MAX_METADATA_BYTES = 256 << 10;
  private static final int MAX_TOKENS = 100_000_000;

  static final ThreadTable ROOT =
      new ThreadTable(
          "threads",
          "id",
          List.of(
              id("public_id"),
              id("resource_id"),
              text("title", 4000).orNull(),
              json("metadata", MAX_METADATA_BYTES, Kind.OBJECT).orNull(),
              time("created_at")));

  /** Tables that refer to the thread, in the order of the file. */
  static final List<ThreadTable> CHILDREN =
      List.of(
          new ThreadTable(
              HEADS,
              "thread_id",
              List.of(number("base_seq", 0), number("next_seq", 0), time("updated_at"))),
          new ThreadTable(
              MESSAGES,
              "seq",
              List.of(
                  number("seq", 0),
                  id("public_id"),
                  word("role", StoredMessage.ROLES),
                  word("type", StoredMessage.TYPES),
                  json("content", Integer.MAX_VALUE, Kind.STRING, Kind.ARRAY, Kind.OBJECT),
                  time("created_at"),
                  number("incomplete", 0, 1),
                  number("superseded", 0, 1))),
          new ThreadTable(
              "message_gaps", "block", List.of(number("block", 0), number("deleted", 1, 512))),
          new ThreadTable(
              "observation_states",
              "thread_id",
              List.of(
                  number("message_tokens", 1, MAX_TOKENS).orNull(),
                  number("observation_tokens", 1, MAX_TOKENS).orNull(),
                  number("recall_tokens", 0, 1_000_000).orNull(),
                  number("time_marks", 0, 1).orNull(),
                  zone("time_zone").orNull(),
                  number("observed_seq", -1),
                  number("reflect_from", 0),
                  shortText("current_task").orNull(),
                  shortText("suggested_continuation").orNull())),
          new ThreadTable(
              "observation_records",
              "generation",
              List.of(
                  number("generation", 0, Integer.MAX_VALUE),
                  uuid("public_id"),
                  word("origin_type", Set.of("initial", "observation", "reflection")),
                  longText("observations"),
                  number("observation_tokens", 0),
                  number("total_tokens_observed", 0),
                  time("last_observed_at").orNull(),
                  json("config", MAX_METADATA_BYTES, Kind.OBJECT),
                  longText("reflection").orNull(),
                  number("reflection_tokens", 0).orNull(),
                  number("reflection_input_tokens", 0).orNull(),
                  number("reflection_input_length", 0, Integer.MAX_VALUE).orNull(),
                  number("reflection_by_model", 0, 1).orNull(),
                  time("created_at"),
                  time("updated_at"))),
          new ThreadTable(
              "observation_chunks",
              "last_seq",
              List.of(
                  number("last_seq", 0),
                  uuid("public_id"),
                  printable("cycle_id"),
                  longText("observations"),
                  number("token_count", 0),
                  strings("message_ids"),
                  number("message_tokens", 0),
                  shortText("suggested_continuation").orNull(),
                  shortText("current_task").orNull(),
                  shortText("thread_title").orNull(),
                  time("last_observed_at"),
                  time("created_at"))));

  /** Tables that are not exported: stored responses to replays, jobs of the nodes, and vectors. */
  static final List<String> NOT_EXPORTED =
      List.of(
          "idempotency_keys",
          "former_messages",
          "observation_jobs",
          "removed_threads",
          "embedding_threads",
          "message_vectors");

  /**
   * Columns that are not exported: keys of this database, leases of its nodes, copies of what
   * stands elsewhere in the file, and what is counted anew.
   */
  static final Map<String, Set<String>> LEFT_OUT =
      Map.of(
          "threads",
          Set.of("id", "project_id"),
          HEADS,
          Set.of(
              "thread_id",
              "project_id",
              "public_id",
              "resource_id",
              "message_count",
              "stored_bytes",
              "removed_bytes",
              "described_bytes",
              "observe_at",
              "version",
              "changed_version"),
          MESSAGES,
          Set.of("thread_id", "content_bytes", "tokens"),
          "message_gaps",
          Set.of("thread_id"),
          "observation_states",
          Set.of(
              "thread_id",
              "observing_until",
              "reflecting_until",
              "buffering_until",
              "buffering_reflection_until"),
          "observation_records",
          Set.of("thread_id"),
          "observation_chunks",
          Set.of("thread_id"));

  private ThreadTables() {}
}
