package io.memorygateway.transfer;

import java.util.List;

/**
 * The tables that hold what belongs to a thread, and what of their columns stays behind when it is
 * carried elsewhere.
 */
final class ThreadTables {
  /**
   * A table.
   *
   * @param order by which its rows are written, so that the file is the same each time
   */
  record ThreadTable(String name, String order) {}

  static final String ROOT = "threads";

  /** In the order in which they must be filled. */
  static final List<ThreadTable> CHILDREN =
      List.of(
          new ThreadTable("thread_heads", "thread_id"),
          new ThreadTable("messages", "seq"),
          new ThreadTable("message_gaps", "block"),
          new ThreadTable("observation_states", "thread_id"),
          new ThreadTable("observation_records", "generation"),
          new ThreadTable("observation_chunks", "last_seq"));

  /** Of this database only: answers to repeated writes, and work that some node is to do. */
  static final List<String> LEFT_BEHIND =
      List.of("idempotency_keys", "former_messages", "observation_jobs", "removed_threads");

  private ThreadTables() {}

  /** Keys of this database, and leases of its nodes. */
  static boolean staysBehind(String column) {
    return column.equals("id")
        || column.equals("thread_id")
        || column.equals("project_id")
        || column.endsWith("_until");
  }
}
