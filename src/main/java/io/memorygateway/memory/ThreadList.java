package io.memorygateway.memory;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Pages of the threads of a project or a resource: the one written to last comes first.
 *
 * <p>Every write to a thread moves it to the front, so there is no lasting place to count from: a
 * page is found by skipping over entries of a narrow index, from whichever end of the list is
 * nearer.
 */
public final class ThreadList {
  /** Up to here it does not pay to look from which end to start. */
  private static final int NEAR = 500;

  /** To read a page in a transaction takes three times as many round trips. */
  private static final int ATTEMPTS = 3;

  private final Transactions transactions;

  ThreadList(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * One page, and how many threads there are.
   *
   * @param sizes bytes of title and metadata of each thread, which it lacks if they are many
   */
  public record Listed(List<ThreadRow> threads, long total, List<Long> sizes) {
    private static final long FEW_BYTES = 8192;

    boolean isWhole() {
      return sizes.stream().allMatch(size -> size <= FEW_BYTES);
    }
  }

  /**
   * A page.
   *
   * @param room is told how many bytes of titles and metadata will be read, if they may be many
   */
  public Listed list(Caller caller, @Nullable String resourceId, Page page, LongConsumer room) {
    ThreadPageQuery query = new ThreadPageQuery(caller.projectId(), resourceId);
    Listed listed = list(query, page);
    return listed.isWhole()
        ? listed
        : transactions.snapshotOn(
            connection -> described(connection, far(connection, query, page).orElseThrow(), room));
  }

  private Listed list(ThreadPageQuery query, Page page) {
    if (page.offset() <= NEAR) {
      return transactions.readOn(
          connection -> query.fromTheStart(connection, page.limit(), page.offset()));
    }
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Optional<Listed> listed = transactions.readOn(connection -> far(connection, query, page));
      if (listed.isPresent()) {
        return listed.get();
      }
    }
    // Threads come and go all the time.
    return transactions.snapshotOn(connection -> far(connection, query, page)).orElseThrow();
  }

  /** The page with all that its threads have, cut where it would be too large. */
  private static Listed described(Connection connection, Listed listed, LongConsumer room)
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
    room.accept(bytes);
    return new Listed(
        ThreadPageQuery.describe(connection, listed.threads().subList(0, count)),
        listed.total(),
        listed.sizes().subList(0, count));
  }

  /**
   * Nothing, if the page was counted from the end of a list that has become another one meanwhile.
   */
  private static Optional<Listed> far(Connection connection, ThreadPageQuery query, Page page)
      throws SQLException {
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
