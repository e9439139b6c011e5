package io.memorygateway.move;

import com.google.common.collect.ImmutableList;
import io.memorygateway.memory.rows.ThreadTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A table with rows of projects, and how they are walked through.
 *
 * @param owner the column by which rows are found
 * @param keys the rest of a unique key, behind the owner where rows of several are read together
 * @param page how many rows are read together
 */
record MovedTable(String name, String owner, int page, List<String> keys) {
  private static final int PAGE = 500;
  private static final String TOTALS =
      "started_at,key_id,endpoint,provider,model,status,error_type";

  /** The last tables of a project: with its head, a thread is one that nodes work at. */
  static final List<MovedTable> LAST =
      List.of(
          of("thread_heads", "project_id", PAGE, "public_id"),
          thread(ThreadTable.OBSERVATION_JOBS));

  /** Those of which all rows of a project have its id, its keys' or its threads'. */
  static final List<MovedTable> ALL = all();

  MovedTable {
    keys = ImmutableList.copyOf(keys);
  }

  private static MovedTable of(String name, String owner, int page, String keys) {
    return new MovedTable(name, owner, page, List.of(keys.split(",", -1)));
  }

  private static List<MovedTable> all() {
    List<MovedTable> all = new ArrayList<>();
    Arrays.stream(ThreadTable.values())
        .filter(
            table ->
                switch (table) {
                  case THREADS,
                      THREAD_HEADS,
                      OBSERVATION_JOBS,
                      EMBEDDING_THREADS,
                      MESSAGE_VECTORS,
                      IDEMPOTENCY_KEYS,
                      REMOVED_THREADS ->
                      false;
                  default -> true;
                })
        .forEach(table -> all.add(thread(table)));
    // Before the vectors: it says of which messages they are there.
    all.add(of("embedding_threads", "project_id", PAGE, "resource_hash,thread_id"));
    all.add(of("message_vectors", "project_id", PAGE, "resource_hash,thread_id,seq"));
    all.add(of("idempotency_keys", "project_id", 20, "key_hash"));
    all.add(of("resource_records", "project_id", 10, "resource_id,generation"));
    all.add(of("request_log", "project_id", PAGE, "started_at,id"));
    all.add(of("usage_hours", "project_id", PAGE, TOTALS));
    all.add(of("usage_days", "project_id", PAGE, TOTALS));
    all.add(of("budget_windows", "owner_id", PAGE, "id"));
    all.add(of("rate_limit_windows", "key_id", PAGE, "key_id"));
    all.add(of("rate_limit_refusals", "key_id", PAGE, "minute,key_id,rule,scope,node"));
    return ImmutableList.copyOf(all);
  }

  private static MovedTable thread(ThreadTable table) {
    String keys =
        switch (table) {
          case FORMER_MESSAGES -> "thread_id,seq,until_version";
          case MESSAGES -> "thread_id,seq";
          default -> table.key().equals("thread_id") ? "thread_id" : "thread_id," + table.key();
        };
    return of(
        table.tableName(),
        "thread_id",
        table.removedTogether() == 0 ? PAGE : Math.min(table.removedTogether(), PAGE),
        keys);
  }

  /** Whether it is found by its project, and divided among homes by its threads. */
  boolean isBounded() {
    return List.of("thread_heads", "embedding_threads", "message_vectors").contains(name);
  }

  /** Whether its rows say of what kind their owner is: the project itself, or a key of it. */
  boolean isOfKinds() {
    return owner.equals("owner_id");
  }

  boolean isOfThreads() {
    return owner.equals("thread_id");
  }
}
