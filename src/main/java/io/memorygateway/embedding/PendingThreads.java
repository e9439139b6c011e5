package io.memorygateway.embedding;

import io.memorygateway.database.Deadline;
import io.memorygateway.database.Home;
import io.memorygateway.database.Transactions;
import io.memorygateway.embedding.VectorDao.PendingThread;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Finds threads of a home with messages to be embedded: those that changed recently, and besides,
 * page by page, all threads, which also finds messages older than the model's configuration,
 * imported, copied, or from a node with a wrong clock. For one thread.
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

  private final Transactions transactions;
  private final Clock clock;
  private final FailingThreads failing;
  private final Home home;
  private Instant since;

  /** The least id of a project that is first in turn: one with much to embed is not always it. */
  private long turn;

  /** The least id that was not looked at. */
  private long position;

  private Instant nextRound = Instant.EPOCH;

  /** The model whose vectors were looked for last: another one's all threads lack. */
  private int lastModel;

  /** Begins with all threads of a home. */
  PendingThreads(Transactions transactions, Clock clock, FailingThreads failing, Home home) {
    this.transactions = transactions;
    this.clock = clock;
    this.failing = failing;
    this.home = home;
    this.since = clock.instant().minus(OVERLAP);
    this.position = home.first();
    this.turn = home.first();
  }

  /**
   * Some threads that lack vectors of a model, those that changed recently first; of them, those of
   * another project each time.
   */
  List<PendingThread> find(int model) {
    Instant now = clock.instant();
    if (model != lastModel) {
      lastModel = model;
      position = home.first();
      nextRound = now;
    }
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
    recent(model, turn, home.last(), found);
    recent(model, home.first(), turn - 1, found);
    if (!found.isEmpty()) {
      turn = found.get(0).project() + 1;
    }
    return found;
  }

  private void recent(int model, long firstProject, long lastProject, List<PendingThread> found) {
    List<Long> some = projects(firstProject, lastProject);
    while (!some.isEmpty() && found.size() < MAX_THREADS) {
      List<Long> projects = some;
      int limit = MAX_THREADS - found.size() + failing.size();
      read(dao -> dao.changedSince(home.first(), home.last(), projects, since, model, limit))
          .forEach(thread -> add(thread, found));
      some = projects(projects.get(projects.size() - 1) + 1, lastProject);
    }
  }

  private List<Long> projects(long first, long last) {
    return read(dao -> dao.projects(first, last, PROJECTS_AT_ONCE));
  }

  /**
   * Reads the next threads; false if none of them is pending. Stays before the first one found,
   * which may take several rounds of work.
   */
  private boolean nextPage(int model, Instant now, List<PendingThread> found) {
    int before = found.size();
    List<PendingThread> page = read(dao -> dao.page(position, home.last(), model, PAGE));
    for (PendingThread thread : page) {
      add(thread, found);
      if (found.size() == before) {
        position = thread.id() + 1;
      }
    }
    if (found.size() > before) {
      return true;
    }
    if (page.size() < PAGE) {
      position = home.first();
      nextRound = now.plus(BETWEEN_ROUNDS);
    }
    return false;
  }

  private void add(PendingThread thread, List<PendingThread> found) {
    boolean known = found.stream().anyMatch(other -> other.id() == thread.id());
    boolean wanted = thread.from() < thread.to() && !failing.waits(thread.id());
    if (wanted && !known && found.size() < MAX_THREADS) {
      found.add(thread);
    }
  }

  private <T> T read(Function<VectorDao, T> work) {
    return transactions.readForMany(
        Deadline.in(HEAP_TIMEOUT), handle -> work.apply(handle.attach(VectorDao.class)));
  }
}
