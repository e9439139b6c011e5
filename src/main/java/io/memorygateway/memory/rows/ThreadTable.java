package io.memorygateway.memory.rows;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jdbi.v3.core.Handle;

/**
 * The tables with rows of threads, and what becomes of the rows when a thread is exported, cloned
 * or removed. An export has the tables in this order.
 */
public enum ThreadTable {
  THREADS("id", Clone.ROWS_OF_ITS_OWN, 0, "public_id,resource_id,title,metadata,created_at"),
  THREAD_HEADS("thread_id", Clone.ROWS_OF_ITS_OWN, 0, "base_seq,next_seq,updated_at"),
  MESSAGES(
      "seq",
      Clone.ROWS_OF_ITS_OWN,
      0,
      "seq,public_id,role,type,content,created_at,incomplete,superseded"),
  MESSAGE_GAPS("block", Clone.ROWS_OF_ITS_OWN, 1_000, "block,deleted"),
  OBSERVATION_STATES(
      "thread_id",
      Clone.COPIES,
      1_000,
      "message_tokens,observation_tokens,recall_tokens,recall_scope,time_marks,time_zone,"
          + "observed_seq,reflect_from,current_task,suggested_continuation"),
  OBSERVATION_RECORDS(
      "generation",
      Clone.COPIES,
      10,
      "generation,public_id,origin_type,observations,observation_tokens,total_tokens_observed,"
          + "last_observed_at,config,reflection,reflection_tokens,reflection_input_tokens,"
          + "reflection_input_length,reflection_by_model,created_at,updated_at"),
  /** They name messages by ids, which differ in a clone, and are prepared again for it. */
  OBSERVATION_CHUNKS(
      "last_seq",
      Clone.NOTHING,
      10,
      "last_seq,public_id,cycle_id,observations,token_count,message_ids,message_tokens,"
          + "suggested_continuation,current_task,thread_title,last_observed_at,created_at"),
  FORMER_MESSAGES(10),
  OBSERVATION_JOBS(1_000),
  /** Of a clone, all is condensed once more; the record itself belongs to the resource. */
  RESOURCE_SOURCES(1_000),
  /** Removed after the vectors: it holds their location. */
  EMBEDDING_THREADS(1_000),
  MESSAGE_VECTORS(0),
  IDEMPOTENCY_KEYS(0),
  REMOVED_THREADS(0);

  /** What a clone of a thread gets of a table. */
  private enum Clone {
    NOTHING,
    /** The exported columns of all rows. */
    COPIES,
    /** What {@code ThreadClones} writes. */
    ROWS_OF_ITS_OWN
  }

  private final String key;
  private final Clone clone;
  private final int removedTogether;
  private final ImmutableList<String> columns;

  ThreadTable(String key, Clone clone, int removedTogether, String columns) {
    this.key = key;
    this.clone = clone;
    this.removedTogether = removedTogether;
    this.columns = ImmutableList.copyOf(columns.split(",", -1));
  }

  /** A table of which nothing is exported or cloned. */
  ThreadTable(int removedTogether) {
    this.key = "thread_id";
    this.clone = Clone.NOTHING;
    this.removedTogether = removedTogether;
    this.columns = ImmutableList.of();
  }

  /** Tables of which rows are exported, in the order of the file. */
  public static List<ThreadTable> exported() {
    return Arrays.stream(values()).filter(table -> !table.columns.isEmpty()).toList();
  }

  public String tableName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The column that tells the rows of a thread apart; {@code id} or {@code thread_id}: one row. */
  public String key() {
    return key;
  }

  /** How many rows are removed together; 0 if {@link RemovedThreads} removes them otherwise. */
  public int removedTogether() {
    return removedTogether;
  }

  /** Exported columns; the import computes the rest. */
  public List<String> columns() {
    return columns;
  }

  public String columnList() {
    return String.join(", ", columns);
  }

  /**
   * Copies the rows of a thread that a clone gets copies of, under new ids.
   *
   * @param idHead the first 28 characters of a UUID that no row has; the last 8 count the rows
   */
  public static void copy(Handle handle, long from, long to, String idHead) {
    for (ThreadTable table : values()) {
      if (table.clone == Clone.COPIES) {
        String id = "CONCAT(:idHead, LOWER(LPAD(HEX(" + table.key + "), 8, '0')))";
        handle
            .createUpdate(
                "INSERT INTO %s (thread_id, %s) SELECT :to, %s FROM %1$s WHERE thread_id = :from"
                    .formatted(
                        table.tableName(),
                        table.columnList(),
                        table.columnList().replace("public_id", id)))
            .bind("from", from)
            .bind("to", to)
            .bind("idHead", idHead)
            .execute();
      }
    }
  }
}
