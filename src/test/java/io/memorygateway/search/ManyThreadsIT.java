package io.memorygateway.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.database.RowPages;
import io.memorygateway.testing.ManyRows;
import io.memorygateway.testing.TestDatabase;
import java.util.List;
import java.util.stream.LongStream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §13: threads of a resource that are more than one statement may have. */
class ManyThreadsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int THREADS = 2 * RowPages.ROWS + 3;

  @Test
  void allOfThemAreSearchedThoseThatChangedLastFirst() {
    DATABASE
        .jdbi()
        .useHandle(
            handle -> {
              insertThreads(handle, THREADS, "2026-01-01");

              assertThat(ids(SearchStatements.resource(handle, 7, "r", 50_000)))
                  .isEqualTo(newest(THREADS));
              assertThat(ids(SearchStatements.resource(handle, 7, "r", RowPages.ROWS + 2)))
                  .isEqualTo(newest(RowPages.ROWS + 2));
              assertThat(ids(SearchStatements.first(handle, 7, "r")))
                  .isEqualTo(newest(RowPages.ROWS));
            });
  }

  /**
   * Threads 1, 2, … of resource r in project 7, each changed a second after the one before.
   *
   * @param first time of the change of the first one
   */
  static void insertThreads(Handle handle, int threads, String first) {
    handle.execute(
        "INSERT INTO projects (id, public_id, name, created_at)"
            + " VALUES (7, UUID(), 'many', UTC_TIMESTAMP(3))");
    ManyRows.insert(
        handle,
        "threads (id, project_id, public_id, resource_id, created_at)",
        "n + 1, 7, CONCAT('t', n), 'r', UTC_TIMESTAMP(3)",
        threads);
    ManyRows.insert(
        handle,
        "thread_heads (thread_id, project_id, public_id, resource_id, base_seq, next_seq,"
            + " message_count, updated_at)",
        "n + 1, 7, CONCAT('t', n), 'r', 0, 1, 1, '" + first + "' + INTERVAL n SECOND",
        threads);
  }

  private static List<Long> newest(int count) {
    return LongStream.range(0, count).mapToObj(i -> THREADS - i).toList();
  }

  private static List<Long> ids(List<ThreadScope> threads) {
    return threads.stream().map(ThreadScope::id).toList();
  }
}
