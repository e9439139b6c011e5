package io.memorygateway.database;

import com.google.common.collect.ImmutableMap;
import io.memorygateway.http.errors.ApiException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * Ids of projects, keys and threads, which carry a {@link Home}. A node takes them in blocks, by a
 * row of the home that every block moves on, and gives them without asking; those of a node that
 * ends are lost. No id is given twice, so ids say nothing about the order of time.
 *
 * <p>In a home, the gateway gives the second quarter of the ids: the first one has those that the
 * server counted before migration 0011, and the second half those that it counts for nodes of the
 * version before.
 */
public final class Ids {
  private static final int BLOCK = 65_536;

  /** Columns with ids: what a restored backup has is not given again. */
  private static final ImmutableMap<String, String> COLUMNS =
      ImmutableMap.of(
          "projects", "id",
          "api_keys", "id",
          "threads", "id",
          "removed_threads", "thread_id",
          "messages", "thread_id");

  private final Transactions transactions;
  private final Map<Home, Block> blocks = new ConcurrentHashMap<>();

  /** Ids from {@code next} on, before {@code end}. */
  private record Block(AtomicLong next, long end) {
    @Nullable Long take(int count) {
      long first = next.getAndAdd(count);
      return first + count <= end ? first : null;
    }
  }

  public Ids(Transactions transactions) {
    this.transactions = transactions;
  }

  /** An id that nobody has; not to be called within a transaction. */
  public long next(Home home) {
    return next(home, 1);
  }

  /** The first of some ids in a row that nobody has, no more than a few. */
  public long next(Home home, int count) {
    Block known = blocks.get(home);
    Long id = known == null ? null : known.take(count);
    if (id != null) {
      return id;
    }
    // Who comes meanwhile takes a block as well; the rest of all but one of them is lost.
    long end = transactions.write(handle -> takeBlock(handle, home));
    blocks.put(home, new Block(new AtomicLong(end - BLOCK + count), end));
    return end - BLOCK;
  }

  /** Takes a block, and returns the id behind it. */
  private static long takeBlock(Handle handle, Home home) {
    long from = home.firstGiven();
    for (Map.Entry<String, String> each : COLUMNS.entrySet()) {
      long highest =
          handle
              .createQuery(
                  "SELECT COALESCE(MAX(<id>), 0) FROM <table> WHERE <id> BETWEEN :first AND :last")
              .define("table", each.getKey())
              .define("id", each.getValue())
              .bind("first", home.firstGiven())
              .bind("last", home.lastGiven())
              .mapTo(Long.class)
              .one();
      from = Math.max(from, highest + 1);
    }
    handle
        .createUpdate(
            """
            INSERT INTO id_blocks (home_id, next_id) VALUES (:home, :from + :block)
            ON DUPLICATE KEY UPDATE next_id = GREATEST(next_id, :from) + :block
            """)
        .bind("home", home.first())
        .bind("from", from)
        .bind("block", BLOCK)
        .execute();
    long end =
        handle
            .createQuery("SELECT next_id FROM id_blocks WHERE home_id = :home")
            .bind("home", home.first())
            .mapTo(Long.class)
            .one();
    if (end > home.lastGiven()) {
      throw new IllegalStateException("home " + home.number() + " has no ids left");
    }
    return end;
  }

  /**
   * Inserts a row with an id that was given here.
   *
   * @param insert may fail for another key of the row as well, and its failure is thrown
   * @throws ApiException 503 if somebody has the id
   */
  public void insert(Handle handle, String table, long id, Runnable insert) {
    try {
      insert.run();
    } catch (JdbiException e) {
      if (DatabaseFailure.of(e) == DatabaseFailure.DUPLICATE_KEY
          && handle
              .createQuery("SELECT EXISTS (SELECT 1 FROM <table> WHERE id = :id)")
              .define("table", table)
              .bind("id", id)
              .mapTo(Boolean.class)
              .one()) {
        throw taken(id);
      }
      throw e;
    }
  }

  /** Forgets the block of an id that somebody has: a backup was restored meanwhile. */
  public ApiException taken(long id) {
    blocks.remove(Home.of(id));
    return ApiException.unavailable("What was to be made got an id that is in use; try again.", 1);
  }
}
