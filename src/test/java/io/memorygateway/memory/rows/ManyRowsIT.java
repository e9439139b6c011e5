package io.memorygateway.memory.rows;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.database.RowPages;
import io.memorygateway.testing.ManyRows;
import io.memorygateway.testing.TestDatabase;
import java.util.List;
import java.util.stream.LongStream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §13: rows of a thread that are more than one statement may have. */
class ManyRowsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int ROWS = 2 * RowPages.ROWS + 3;

  @Test
  void gapsAreReadAndClearedWhole() {
    DATABASE
        .jdbi()
        .useHandle(
            handle -> {
              ManyRows.insert(handle, "message_gaps (thread_id, block, deleted)", "1, n, 1", ROWS);
              MessageGapDao dao = handle.attach(MessageGapDao.class);

              assertThat(dao.list(1)).extracting(MessageGap::block).isEqualTo(all());

              dao.clear(1);
              assertThat(dao.list(1)).isEmpty();
            });
  }

  @Test
  void messagesThatABranchLeavesBehindAreAllFound() {
    DATABASE
        .jdbi()
        .useHandle(
            handle -> {
              insertMessages(handle);
              MessageDao dao = handle.attach(MessageDao.class);

              assertThat(dao.liveBetween(1, -1, ROWS)).isEqualTo(all());
              assertThat(dao.liveBetween(1, 5, ROWS - 1)).isEqualTo(all().subList(6, ROWS - 1));
              assertThat(dao.answersTo(1, 0, ROWS)).isEqualTo(all().subList(1, ROWS));
            });
  }

  private static void insertMessages(Handle handle) {
    ManyRows.insert(
        handle,
        "messages (thread_id, seq, public_id, role, type, content, created_at, content_bytes)",
        "1, n, CONCAT('m', n), 'assistant', 'text', '\"x\"', UTC_TIMESTAMP(3), 3",
        ROWS);
  }

  private static List<Long> all() {
    return LongStream.range(0, ROWS).boxed().toList();
  }
}
