package io.memorygateway.embedding;

import io.memorygateway.database.Deadline;
import io.memorygateway.database.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds threads with messages to be embedded: those that changed recently, and besides, page by
 * page, all threads, which also finds messages older than the model's configuration, imported,
 * copied, or from a node with a wrong clock. For one thread.
 */
final class PendingThreads {
  /** The most threads that are found at once. */
  static final int MAX_THREADS = 64;

  private static final int PAGE = 1_000;
  private static final int PAGES_AT_ONCE = 10;
  private static final int PROJECTS_AT_ONCE = 200;

  /**
   * Time by which reads of recent changes overlap: clocks of nodes differ, and commits are delayed.
   */
  private static final Duration OVERLAP = Duration.ofMinutes(1);

  private static final Duration BETWEEN_ROUNDS = Duration.ofMinutes(10);
  private static final Duration HEAP_TIMEOUT = Duration.ofSeconds(10);

  private static final String HEADS =
      "SELECT h.thread_id, h.project_id, "
          + ResourceHash.SQL
          + ", h.base_seq, h.next_seq, h.changed_version, s.model_id, s.next_seq, h.message_count";

  private static final String RECENT =
      HEADS
          + """
           FROM thread_heads h LEFT JOIN embedding_threads s ON s.thread_id = h.thread_id
          WHERE h.project_id IN (%s) AND h.updated_at >= ? AND h.message_count > 0
            AND (s.thread_id IS NULL OR s.model_id <> ? OR s.next_seq < h.next_seq)
          LIMIT ?
          """;

  private static final String NEXT =
      HEADS
          + """
           FROM (SELECT * FROM thread_heads WHERE thread_id > ? ORDER BY thread_id LIMIT ?) h
          LEFT JOIN embedding_threads s ON s.thread_id = h.thread_id ORDER BY h.thread_id
          """;

  private final Transactions transactions;
  private final Clock clock;
  private final FailingThreads failing;
  private Instant since = Instant.EPOCH;
  private long position;
  private Instant nextRound = Instant.EPOCH;

  PendingThreads(Transactions transactions, Clock clock, FailingThreads failing) {
    this.transactions = transactions;
    this.clock = clock;
    this.failing = failing;
    restart();
  }

  /** Starts another round, because another node held the lease, or another model is used. */
  void restart() {
    since = clock.instant().minus(OVERLAP);
    position = 0;
    nextRound = Instant.EPOCH;
  }

  /** Some threads that lack vectors of a model, those that changed recently first. */
  List<PendingThread> find(int model) {
    Instant now = clock.instant();
    List<PendingThread> found = new ArrayList<>(recent(model));
    if (found.isEmpty()) {
      since = now.minus(OVERLAP);
    }
    boolean more = found.size() < MAX_THREADS;
    for (int i = 0; i < PAGES_AT_ONCE && more && !now.isBefore(nextRound); i++) {
      more = !nextPage(model, now, found);
    }
    return found;
  }

  private List<PendingThread> recent(int model) {
    List<PendingThread> found = new ArrayList<>();
    List<Long> projects = read(PendingThreads::projects);
    for (int i = 0; i < projects.size() && found.size() < MAX_THREADS; i += PROJECTS_AT_ONCE) {
      List<Long> some = projects.subList(i, Math.min(i + PROJECTS_AT_ONCE, projects.size()));
      int limit = MAX_THREADS - found.size() + failing.size();
      read(
          connection -> {
            String marks = String.join(",", Collections.nCopies(some.size(), "?"));
            try (PreparedStatement statement =
                connection.prepareStatement(RECENT.formatted(marks))) {
              int parameter = 1;
              for (long project : some) {
                statement.setLong(parameter++, project);
              }
              statement.setTimestamp(parameter++, Timestamp.from(since));
              statement.setInt(parameter++, model);
              statement.setInt(parameter, limit);
              return each(statement, row -> add(row, model, found));
            }
          });
    }
    return found;
  }

  private static List<Long> projects(Connection connection) throws SQLException {
    List<Long> projects = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement("SELECT id FROM projects");
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        projects.add(row.getLong(1));
      }
    }
    return projects;
  }

  /**
   * Reads the next threads; false if none of them is pending. Stays before the first one found,
   * which may take several rounds of work.
   */
  private boolean nextPage(int model, Instant now, List<PendingThread> found) {
    int before = found.size();
    int scanned =
        read(
            connection -> {
              try (PreparedStatement statement = connection.prepareStatement(NEXT)) {
                statement.setLong(1, position);
                statement.setInt(2, PAGE);
                return each(
                    statement,
                    row -> {
                      add(row, model, found);
                      if (found.size() == before) {
                        position = row.thread;
                      }
                    });
              }
            });
    if (found.size() > before) {
      return true;
    }
    if (scanned < PAGE) {
      position = 0;
      nextRound = now.plus(BETWEEN_ROUNDS);
    }
    return false;
  }

  /** A thread's head with the state of its embedding. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Row(
      long thread,
      long project,
      byte[] hash,
      long baseSeq,
      long nextSeq,
      long changedVersion,
      @Nullable Integer model,
      long embedded,
      long messages) {}

  private static int each(PreparedStatement statement, Consumer<Row> rows) throws SQLException {
    int count = 0;
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        int model = row.getInt(7);
        boolean isKnown = !row.wasNull();
        rows.accept(
            new Row(
                row.getLong(1),
                row.getLong(2),
                row.getBytes(3),
                row.getLong(4),
                row.getLong(5),
                row.getLong(6),
                isKnown ? model : null,
                row.getLong(8),
                row.getLong(9)));
        count++;
      }
    }
    return count;
  }

  private void add(Row row, int model, List<PendingThread> found) {
    boolean same = row.model != null && row.model == model;
    long from = same ? Math.max(row.embedded, row.baseSeq) : row.baseSeq;
    boolean known = found.stream().anyMatch(other -> other.id() == row.thread);
    boolean wanted = row.messages > 0 && from < row.nextSeq && !failing.waits(row.thread);
    if (wanted && !known && found.size() < MAX_THREADS) {
      found.add(
          new PendingThread(
              row.thread, row.project, row.hash, from, row.nextSeq, row.changedVersion));
    }
  }

  private <T> T read(Transactions.ConnectionWork<T> work) {
    return transactions.readForMany(Deadline.in(HEAP_TIMEOUT), work);
  }
}
