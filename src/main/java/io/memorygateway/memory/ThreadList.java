package io.memorygateway.memory;

import io.memorygateway.auth.Caller;
import java.util.List;
import java.util.Objects;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Pages of the threads of a project or a resource: the one written to last comes first.
 *
 * <p>Every write to a thread moves it to the front, so there is no lasting place to count from: a
 * page is found by skipping over entries of a narrow index, from whichever end of the list is
 * nearer.
 */
final class ThreadList {
  /** Up to here it does not pay to look from which end to start. */
  private static final int NEAR = 500;

  private final Transactions transactions;

  ThreadList(Transactions transactions) {
    this.transactions = transactions;
  }

  /** One page, and how many threads there are. */
  record Listed(List<ThreadRow> threads, long total) {}

  Listed list(Caller caller, @Nullable String resourceId, Page page) {
    Query query = new Query(caller.projectId(), resourceId == null ? null : resourceId);
    if (page.offset() <= NEAR) {
      return transactions.read(
          handle -> listed(query.fromTheStart(handle, page.limit(), page.offset())));
    }
    return transactions.snapshot(handle -> far(handle, query, page));
  }

  private static Listed far(Handle handle, Query query, Page page) {
    long total = query.total(handle);
    long wanted = Math.min(page.limit(), total - page.offset());
    if (wanted <= 0) {
      return new Listed(List.of(), total);
    }
    long after = total - page.offset() - wanted;
    return listed(
        page.offset() <= after
            ? query.fromTheStart(handle, wanted, page.offset())
            : query.fromTheEnd(handle, wanted, after));
  }

  private static Listed listed(List<ThreadPageDao.Row> rows) {
    return new Listed(
        rows.stream().map(ThreadPageDao.Row::thread).filter(Objects::nonNull).toList(),
        rows.get(0).total());
  }

  private record Query(long projectId, @Nullable String resource) {
    long total(Handle handle) {
      return handle
          .attach(ThreadCountDao.class)
          .count(projectId, resource == null ? ThreadCountDao.WHOLE_PROJECT : resource);
    }

    List<ThreadPageDao.Row> fromTheStart(Handle handle, long limit, long offset) {
      ThreadPageDao dao = handle.attach(ThreadPageDao.class);
      return resource == null
          ? dao.ofProject(projectId, limit, offset)
          : dao.ofResource(projectId, resource, limit, offset);
    }

    List<ThreadPageDao.Row> fromTheEnd(Handle handle, long limit, long offset) {
      ThreadPageDao dao = handle.attach(ThreadPageDao.class);
      return resource == null
          ? dao.ofProjectFromTheEnd(projectId, limit, offset)
          : dao.ofResourceFromTheEnd(projectId, resource, limit, offset);
    }
  }
}
