package io.memorygateway.memory.read;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.Transactions;
import io.memorygateway.memory.rows.Page;
import io.memorygateway.memory.rows.ThreadRow;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Pages of the threads of a project or a resource, most recently written first.
 *
 * <p>Every write moves its thread to the front, so no entry has a lasting place to count from: a
 * page is found by skipping entries of a narrow index, from the nearer end of the list.
 */
public record ThreadList(Transactions transactions) {
  /** Up to this offset, choosing the nearer end does not pay. */
  private static final int MAX_FORWARD_OFFSET = 500;

  /** Attempts outside a transaction, which takes three times as many round trips. */
  private static final int ATTEMPTS = 3;

  /**
   * A page, and the total number of threads.
   *
   * @param sizes bytes of title and metadata of each thread; the threads lack them if they are many
   */
  public record Listed(List<ThreadRow> threads, long total, List<Long> sizes) {
    private static final long SMALL_BYTES = 8192;

    boolean isComplete() {
      return sizes.stream().allMatch(size -> size <= SMALL_BYTES);
    }
  }

  /**
   * Returns a page.
   *
   * @param heap called with the bytes of titles and metadata before they are read, if they may be
   *     many
   */
  public Listed list(Caller caller, @Nullable String resourceId, Page page, LongConsumer heap) {
    ThreadPageQuery query = new ThreadPageQuery(caller.projectId(), resourceId);
    Listed listed = list(query, page);
    return listed.isComplete()
        ? listed
        : transactions.snapshot(
            handle -> {
              Connection connection = handle.getConnection();
              return described(
                  connection, fromNearerEnd(connection, query, page).orElseThrow(), heap);
            });
  }

  private Listed list(ThreadPageQuery query, Page page) {
    if (page.offset() <= MAX_FORWARD_OFFSET) {
      return transactions.read(
          handle -> query.fromTheStart(handle.getConnection(), page.limit(), page.offset()));
    }
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Optional<Listed> listed =
          transactions.read(handle -> fromNearerEnd(handle.getConnection(), query, page));
      if (listed.isPresent()) {
        return listed.get();
      }
    }
    // The list changed during every attempt.
    return transactions
        .snapshot(handle -> fromNearerEnd(handle.getConnection(), query, page))
        .orElseThrow();
  }

  /** Adds the titles and metadata that the page lacks, and cuts it where it would be too large. */
  private static Listed described(Connection connection, Listed listed, LongConsumer heap)
      throws SQLException {
    long bytes = 0;
    int count = 0;
    for (long size : listed.sizes()) {
      if (count > 0 && bytes + size > Page.MAX_BYTES) {
        break;
      }
      bytes += size;
      count++;
    }
    if (count == 0) {
      return listed;
    }
    heap.accept(bytes);
    return new Listed(
        ThreadPageQuery.describe(connection, listed.threads().subList(0, count)),
        listed.total(),
        listed.sizes().subList(0, count));
  }

  /** Reads a page from the nearer end; empty if the length of the list changed meanwhile. */
  private static Optional<Listed> fromNearerEnd(
      Connection connection, ThreadPageQuery query, Page page) throws SQLException {
    long total = query.total(connection);
    long wanted = Math.min(page.limit(), total - page.offset());
    if (wanted <= 0) {
      return Optional.of(new Listed(List.of(), total, List.of()));
    }
    long after = total - page.offset() - wanted;
    if (page.offset() <= after) {
      return Optional.of(query.fromTheStart(connection, page.limit(), page.offset()));
    }
    Listed listed = query.fromTheEnd(connection, wanted, after);
    return listed.total() == total ? Optional.of(listed) : Optional.empty();
  }
}
