package io.memorygateway.database;

import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/** Removes rows in small batches, on the one node that holds the lease for it. */
public final class OldRows {
  /** Batches between two renewals of the lease, each of which is a write. */
  private static final int BATCHES = 20;

  private OldRows() {}

  @FunctionalInterface
  public interface Removal {
    /** Returns the number of rows; may run on two nodes at once. */
    int remove(Handle handle, Home home);
  }

  /**
   * A table whose old rows are removed owner by owner: of one of which all is in one home. An
   * engine with shards would look on all of them for rows to remove, and bounds of a home alone
   * would make MySQL read the whole key.
   *
   * @param owner column with ids that carry the home
   * @param index that leads to old rows
   * @param age its first column
   * @param old condition of the rows, with {@code :before} if it needs a time
   */
  public record Table(String name, String owner, String index, String age, String old) {
    /**
     * Removes a batch of a home in one transaction.
     *
     * @param before null if the condition needs none
     */
    public int remove(Handle handle, Home home, @Nullable Instant before, int limit) {
      String rows = "FROM " + name + "%s WHERE " + old + " AND " + owner;
      String oldest = " ORDER BY " + age + " LIMIT :limit";
      Map<Long, Long> owners =
          bound(
                  handle.createQuery(
                      "SELECT "
                          + owner
                          + " "
                          + rows.formatted(" FORCE INDEX (" + index + ")")
                          + " BETWEEN :first AND :last"
                          + oldest),
                  before)
              .bindMethods(home)
              .bind("limit", limit)
              .mapTo(Long.class)
              .stream()
              .collect(Collectors.groupingBy(id -> id, TreeMap::new, Collectors.counting()));
      String delete = "DELETE " + rows.formatted("") + " = :owner" + oldest;
      return handle.inTransaction(
          same -> {
            int removed = 0;
            for (Map.Entry<Long, Long> each : owners.entrySet()) {
              removed +=
                  bound(same.createUpdate(delete), before)
                      .bind("owner", each.getKey())
                      .bind("limit", each.getValue())
                      .execute();
            }
            return removed;
          });
    }

    private static <S extends SqlStatement<S>> S bound(S statement, @Nullable Instant before) {
      return before == null ? statement : statement.bind("before", before);
    }
  }

  /**
   * Removes all rows, unless another node is doing so.
   *
   * @param lease name of the work: letters and hyphens
   * @param batch rows in a statement at most
   * @return how many were removed
   */
  public static long remove(Jdbi jdbi, String lease, int batch, Removal removal) {
    NodeLease held = new NodeLease(jdbi, lease);
    if (!held.hold()) {
      return 0;
    }
    AtomicLong all = new AtomicLong();
    AtomicInteger batches = new AtomicInteger();
    AtomicBoolean lost = new AtomicBoolean();
    try {
      Homes.each(
          Homes.of(jdbi),
          home -> {
            for (int removed = batch; removed >= batch && !lost.get(); ) {
              removed = jdbi.withHandle(handle -> removal.remove(handle, home));
              all.addAndGet(removed);
              lost.set(batches.incrementAndGet() % BATCHES == 0 && !held.hold());
            }
          });
      return all.get();
    } finally {
      held.release();
    }
  }
}
