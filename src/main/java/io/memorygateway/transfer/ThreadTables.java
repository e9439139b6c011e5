package io.memorygateway.transfer;

import java.util.List;

/** Tables that hold the rows of a thread, and the columns that are not exported. */
final class ThreadTables {
  /**
   * A table with rows of threads.
   *
   * @param order of its rows in the file, so that the file is the same each time
   */
  record ThreadTable(String name, String order) {}

  static final String ROOT = "threads";

  /** Tables that refer to the thread, in the order in which they must be filled. */
  static final List<ThreadTable> CHILDREN =
      List.of(
          new ThreadTable("thread_heads", "thread_id"),
          new ThreadTable("messages", "seq"),
          new ThreadTable("message_gaps", "block"),
          new ThreadTable("observation_states", "thread_id"),
          new ThreadTable("observation_records", "generation"),
          new ThreadTable("observation_chunks", "last_seq"));

  /** Tables that are not exported: stored responses to replays, jobs of the nodes, and vectors. */
  static final List<String> NOT_EXPORTED =
      List.of(
          "idempotency_keys",
          "former_messages",
          "observation_jobs",
          "removed_threads",
          "embedding_threads",
          "message_vectors");

  private ThreadTables() {}

  /** Whether a column is not exported: keys of this database, and leases of its nodes. */
  static boolean isNotExported(String column) {
    return column.equals("id")
        || column.equals("thread_id")
        || column.equals("project_id")
        || column.endsWith("_until");
  }
}
