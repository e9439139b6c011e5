package io.memorygateway.audit;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** Pages of the audit log, the newest row first. */
public final class AuditPages {
  /** Most characters of the states of all rows; beyond, the page ends. */
  private static final long MAX_PAGE_CHARACTERS = 8 << 20;

  private AuditPages() {}

  public enum Filter {
    ACTION,
    ACTOR,
    SUBJECT,
    OUTCOME;

    private String column() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Request for a page.
   *
   * @param last only rows up to this number
   * @param from inclusive; null: from the first row on
   * @param to exclusive; null: to the last
   * @param limit most rows
   */
  public record Criteria(
      long last,
      @Nullable Instant from,
      @Nullable Instant to,
      Map<Filter, String> filters,
      int limit) {
    public Criteria {
      filters = Map.copyOf(filters);
    }
  }

  /**
   * Rows of a page.
   *
   * @param more whether there are, or may be, further rows
   */
  public record Found(List<AuditRow> rows, boolean more) {
    public Found {
      rows = List.copyOf(rows);
    }
  }

  /** Reads rows up to the limit of rows or of their length; hashes are lower-case hex. */
  public static Found read(Handle handle, Criteria wanted) {
    List<AuditRow> rows = new ArrayList<>();
    long last = wanted.last();
    long length = 0;
    while (true) {
      int limit = Math.min(AuditDao.ROWS_PER_STATEMENT, wanted.limit() + 1 - rows.size());
      List<AuditRow> page = page(handle, wanted, last, limit);
      for (AuditRow row : page) {
        if (rows.size() == wanted.limit() || (length > MAX_PAGE_CHARACTERS && !rows.isEmpty())) {
          return new Found(rows, true);
        }
        rows.add(row);
        length += length(row.before()) + length(row.after());
        last = row.seq() - 1;
      }
      if (page.size() < limit || last == Long.MAX_VALUE) {
        return new Found(rows, false);
      }
    }
  }

  private static long length(@Nullable String state) {
    return state == null ? 0 : state.length();
  }

  private static List<AuditRow> page(Handle handle, Criteria wanted, long last, int limit) {
    Query query =
        handle
            .createQuery(
                AuditDao.ROWS
                    + "WHERE seq <= :last"
                    + (wanted.from() == null ? "" : " AND at >= :from")
                    + (wanted.to() == null ? "" : " AND at < :to")
                    + wanted.filters().keySet().stream()
                        .map(filter -> " AND " + filter.column() + " = :" + filter.column())
                        .collect(Collectors.joining())
                    + " ORDER BY seq DESC LIMIT :limit")
            .bind("last", last)
            .bind("limit", limit);
    if (wanted.from() != null) {
      query.bind("from", wanted.from());
    }
    if (wanted.to() != null) {
      query.bind("to", wanted.to());
    }
    wanted.filters().forEach((filter, value) -> query.bind(filter.column(), value));
    return query.mapTo(AuditRow.class).list();
  }
}
