package io.memorygateway.move;

import static io.memorygateway.memory.rows.ThreadCountDao.SLOTS;
import static java.util.stream.Collectors.joining;

import io.memorygateway.database.Home;
import io.memorygateway.database.Ids;
import io.memorygateway.database.Transactions;
import io.memorygateway.memory.rows.Identifier;
import io.memorygateway.memory.rows.RemovedThreadDao;
import io.memorygateway.usage.LoggedCall;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Query;

/**
 * Takes the threads of a project away from its old home: who changes a thread locks its row of
 * {@code threads} first, and that row goes, once the new home has it. The head stays until all is
 * copied, and a row of {@code removed_threads} that is never due keeps what is left from being
 * taken for an orphan's.
 */
final class MovedThreads {
  private static final int PAGE = 200;
  private static final int CALLS = 1000;

  private final Jdbi jdbi;
  private final Ids ids;
  private final IdMoves.Move move;
  private final Runnable alive;

  /**
   * @param alive called before each page; its exceptions end the work
   */
  MovedThreads(Jdbi jdbi, IdMoves.Move move, Runnable alive) {
    this.jdbi = jdbi;
    this.ids = new Ids(Transactions.ofOperators(jdbi));
    this.move = move;
    this.alive = alive;
  }

  /** A thread by the id that clients see. */
  private record Named(long id, String name) {}

  /** Takes all threads; those that are taken already are found again. */
  void take() {
    // Counts that cannot rise: nobody makes a thread there any more, however late.
    for (int slot = 0; slot < SLOTS; slot++) {
      int each = slot;
      jdbi.useHandle(
          handle ->
              handle.execute(
                  "INSERT INTO thread_counts (project_id, resource_id, slot, threads) VALUES (?,"
                      + " '', ?, ?) ON DUPLICATE KEY UPDATE threads = VALUES(threads)",
                  move.project(),
                  each,
                  Long.MAX_VALUE));
    }
    each(
        heads -> {
          long first = ids.next(Home.of(move.newProject()), heads.size());
          try (Handle handle = jdbi.open()) {
            handle.useTransaction(same -> take(same, heads, first));
          }
        });
  }

  /** Gives the ids of all threads in the old home, some at a time. */
  void eachIds(Consumer<List<Long>> page) {
    each(heads -> page.accept(heads.stream().map(Named::id).toList()));
  }

  private void each(Consumer<List<Named>> page) {
    String after = "";
    List<Named> heads;
    do {
      alive.run();
      heads = heads(after);
      if (!heads.isEmpty()) {
        page.accept(heads);
        after = heads.get(heads.size() - 1).name;
      }
    } while (heads.size() == PAGE);
  }

  /** New ids of some threads by those before; without those that have been deleted. */
  Map<Long, Long> newIds(Collection<Long> ids) {
    if (ids.isEmpty()) {
      return Map.of();
    }
    List<Named> heads =
        jdbi.withHandle(
            handle ->
                named(
                    handle
                        .createQuery(
                            "SELECT thread_id, public_id FROM thread_heads WHERE thread_id IN (<ids>)")
                        .bindList("ids", ids)));
    Map<Long, Long> newIds = new HashMap<>();
    if (!heads.isEmpty()) {
      Map<String, Long> there = there(heads);
      heads.forEach(head -> newIds.computeIfAbsent(head.id, id -> there.get(head.name)));
    }
    return newIds;
  }

  /** Gives calls in the request log of the new home the hashes that their threads have there. */
  void renameCalls() {
    each(
        heads -> {
          int changed = CALLS;
          while (changed == CALLS) {
            alive.run();
            changed = jdbi.withHandle(handle -> renameCalls(handle, heads));
          }
        });
  }

  private int renameCalls(Handle handle, List<Named> heads) {
    String hashes = heads.stream().map(head -> hash(move.project(), head)).collect(joining(","));
    String renamed =
        heads.stream()
            .map(
                head ->
                    " WHEN %s THEN %s"
                        .formatted(hash(move.project(), head), hash(move.newProject(), head)))
            .collect(joining());
    return handle.execute(
        "UPDATE request_log SET thread_hash = CASE thread_hash%s END WHERE project_id = ? AND thread_hash IN (%s) LIMIT %d"
            .formatted(renamed, hashes, CALLS),
        move.newProject());
  }

  private static String hash(long project, Named head) {
    return "x'" + LoggedCall.hash(project, head.name) + "'";
  }

  private List<Named> heads(String after) {
    return jdbi.withHandle(
        handle ->
            named(
                within(
                        handle.createQuery(
                            """
                        SELECT thread_id, public_id FROM thread_heads
                        WHERE project_id = :project AND thread_id BETWEEN :first AND :last AND public_id > :after
                        ORDER BY public_id LIMIT :limit
                        """),
                        move.project())
                    .bind("after", after)
                    .bind("limit", PAGE)));
  }

  /** The threads of the new home that have the names of some. */
  private Map<String, Long> there(List<Named> heads) {
    Map<String, Long> ids = new HashMap<>();
    jdbi.withHandle(
            handle ->
                named(
                    within(
                            handle.createQuery(
                                """
                            SELECT id, public_id FROM threads
                            WHERE project_id = :project AND id BETWEEN :first AND :last AND public_id IN (<names>)
                            """),
                            move.newProject())
                        .bindList("names", heads.stream().map(Named::name).toList())))
        .forEach(thread -> ids.put(thread.name, thread.id));
    return ids;
  }

  private static Query within(Query query, long project) {
    return query.bind("project", project).bindMethods(Home.of(project));
  }

  private static List<Named> named(Query query) {
    return query
        .map((row, context) -> new Named(row.getLong(1), Identifier.ofBytes(row.getBytes(2))))
        .list();
  }

  private void take(Handle handle, List<Named> heads, long firstId) {
    List<Map<String, Object>> rows =
        MovedRows.read(
            handle,
            "SELECT r.* FROM thread_heads h STRAIGHT_JOIN threads r ON r.id = h.thread_id WHERE"
                + " h.thread_id IN ("
                + list(heads.stream().map(Named::id).toList())
                + ") FOR UPDATE",
            List.of());
    if (rows.isEmpty()) {
      return;
    }
    List<Long> taken = rows.stream().map(row -> (Long) row.get("id")).toList();
    for (int i = 0; i < rows.size(); i++) {
      rows.get(i).put("id", firstId + i);
      rows.get(i).put("project_id", move.newProject());
    }
    // Committed before the rows here go. If these stay after all, it is done again: the new home
    // knows the names, and keeps its ids.
    try (Handle there = jdbi.open()) {
      MovedRows.insert(there, "threads", List.of("id", "project_id", "public_id"), rows);
    }
    RemovedThreadDao removed = handle.attach(RemovedThreadDao.class);
    taken.forEach(id -> removed.enter(id, move.project(), Integer.MAX_VALUE));
    // Ids of records are unique, and the new home is to have them.
    handle.execute(
        "UPDATE observation_records SET public_id = INSERT(public_id, 9, 1, '_') WHERE thread_id"
            + " IN ("
            + list(taken)
            + ")");
    handle.execute("DELETE FROM threads WHERE id IN (" + list(taken) + ")");
  }

  private static String list(Collection<Long> ids) {
    return ids.stream().map(String::valueOf).collect(joining(","));
  }

  /** Counts the threads that the new home has. */
  void count() {
    jdbi.useTransaction(
        handle -> {
          handle.execute("DELETE FROM thread_counts WHERE project_id = ?", move.newProject());
          count(handle, "''", "");
          count(handle, "resource_id", ", resource_id");
        });
  }

  private void count(Handle handle, String resource, String group) {
    handle
        .createUpdate(
            """
            INSERT INTO thread_counts (project_id, resource_id, slot, threads)
            SELECT project_id, <resource>, thread_id % :slots AS remainder, COUNT(*) FROM thread_heads
            WHERE project_id = :project AND thread_id BETWEEN :first AND :last
            GROUP BY project_id, remainder<group>
            """)
        .define("resource", resource)
        .define("group", group)
        .bind("slots", SLOTS)
        .bind("project", move.newProject())
        .bindMethods(Home.of(move.newProject()))
        .execute();
  }

  /** Has what is left in the old home removed, and removes its counts that nobody needs. */
  void leave() {
    each(
        heads -> {
          try (Handle handle = jdbi.open()) {
            handle.useTransaction(
                same -> {
                  RemovedThreadDao removed = same.attach(RemovedThreadDao.class);
                  for (Named head : heads) {
                    removed.delay(head.id, 0);
                    removed.deleteHead(head.id);
                  }
                });
          }
        });
    jdbi.useHandle(
        handle ->
            handle.execute(
                "DELETE FROM thread_counts WHERE project_id = ? AND resource_id <> ''",
                move.project()));
  }
}
