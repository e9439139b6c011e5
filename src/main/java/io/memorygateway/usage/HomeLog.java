package io.memorygateway.usage;

import com.google.common.collect.ConcurrentHashMultiset;
import com.google.common.collect.Multiset;
import io.memorygateway.budget.Charge;
import io.memorygateway.budget.Covered;
import io.memorygateway.budget.Settlements.Reached;
import io.memorygateway.concurrent.BackgroundWriter;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.database.Home;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Background writer of the calls of one home, with a bounded queue of its own. */
final class HomeLog extends BackgroundWriter {
  private static final Logger LOGGER = LoggerFactory.getLogger(CallLog.class);
  private static final int QUEUE_CAPACITY = 10_000;
  private static final int BATCH = 500;
  private static final long GATHER_MILLIS = 100;
  private static final long RETRY_MILLIS = 1000;

  /**
   * Refusals after which a batch is divided; some are temporary, for example while a table is
   * altered.
   */
  private static final int MAX_REFUSALS = 3;

  /** Rows of a batch for which the reason of a refusal is logged; most rows have the same. */
  private static final int MAX_LOGGED_REASONS = 3;

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(3);

  private final BlockingQueue<LoggedCall> queue = new LinkedBlockingQueue<>();

  /** The projects of calls that are not written yet, each as often as it has some. */
  private final Multiset<Long> waiting = ConcurrentHashMultiset.create();

  /** Has a permit while a call waits whose budgets others may wait for. */
  private final Semaphore urgent = new Semaphore(0);

  private final Jdbi jdbi;
  private final Consumer<List<Reached>> reached;
  private final CallLog.Counters counters;
  private final LoggedBatch rows = new LoggedBatch();
  private boolean failing;

  HomeLog(Home home, Jdbi jdbi, Consumer<List<Reached>> reached, CallLog.Counters counters) {
    super("request-log-" + home.number(), STOP_TIMEOUT);
    this.jdbi = jdbi;
    this.reached = reached;
    this.counters = counters;
  }

  /** Calls that are not written yet. */
  int waiting() {
    return waiting.size();
  }

  boolean isWaiting(long projectId) {
    return waiting.contains(projectId);
  }

  /** Queues a row; does not block. */
  void add(LoggedCall call) {
    Charge charge = call.charge();
    waiting.add(call.projectId());
    if (charge != null) {
      charge.counted();
      queue.add(call);
      if (charge.of().hold().isMoving()) {
        urgent.release();
      }
    } else if (queue.size() >= QUEUE_CAPACITY || !queue.offer(call)) {
      waiting.remove(call.projectId());
      counters.dropped().inc();
    }
  }

  @Override
  protected void run() throws InterruptedException {
    List<LoggedCall> taken = new ArrayList<>();
    try {
      while (!stopsWithin(0) || !queue.isEmpty()) {
        LoggedCall first = queue.poll(GATHER_MILLIS, TimeUnit.MILLISECONDS);
        if (first == null) {
          continue;
        }
        if (queue.size() < BATCH) {
          boolean unused = urgent.tryAcquire(GATHER_MILLIS, TimeUnit.MILLISECONDS);
        }
        int unused = urgent.drainPermits();
        taken.add(first);
        queue.drainTo(taken, BATCH - 1);
        write(taken);
        taken.forEach(call -> waiting.remove(call.projectId()));
        taken.clear();
      }
    } finally {
      counters.dropped().inc(taken.size() + queue.size());
    }
  }

  /**
   * Retries until the batch is written, or the node stops. If the database can be reached but
   * refuses the batch, the batch is divided repeatedly, so that one row that is never accepted does
   * not hold up all others.
   */
  private void write(List<LoggedCall> batch) throws InterruptedException {
    int refusals = 0;
    while (true) {
      try {
        writeAll(batch);
        if (failing) {
          failing = false;
          LOGGER.info("The request log is written again");
        }
        return;
      } catch (RuntimeException | SQLException e) {
        if (!failing) {
          failing = true;
          LOGGER.warn(
              "The request log cannot be written; calls wait or are lost: {}", e.toString());
        }
        DatabaseFailure failure = DatabaseFailure.of(e);
        if (!failure.isOutage() && ++refusals == MAX_REFUSALS) {
          writeParts(batch);
          return;
        }
        // After a deadlock all is well: calls that wait for their settlement need not wait longer.
        if (stopsWithin(failure == DatabaseFailure.ROLLED_BACK ? 10 : RETRY_MILLIS)) {
          counters.dropped().inc(batch.size());
          return;
        }
      }
    }
  }

  private void writeAll(List<LoggedCall> calls) throws SQLException {
    List<Reached> all =
        jdbi.<List<Reached>, SQLException>inTransaction(
            handle -> rows.write(handle.getConnection(), calls));
    counters.written().inc(calls.size());
    settled(calls);
    reached.accept(all);
  }

  private static void settled(List<LoggedCall> calls) {
    for (LoggedCall call : calls) {
      Covered covered = call.covered();
      if (covered != null && covered.last()) {
        covered.hold().settle();
      }
    }
  }

  private static void forget(LoggedCall call) {
    Covered covered = call.covered();
    if (covered != null) {
      boolean unused = covered.hold().settled().complete(null);
    }
  }

  private void writeParts(List<LoggedCall> batch) throws InterruptedException {
    int lost = 0;
    Deque<List<LoggedCall>> parts = new ArrayDeque<>();
    parts.push(batch);
    while (!parts.isEmpty()) {
      List<LoggedCall> part = parts.pop();
      try {
        writeAll(part);
      } catch (RuntimeException | SQLException e) {
        if (DatabaseFailure.of(e).isOutage()) {
          parts.push(part);
          if (stopsWithin(RETRY_MILLIS)) {
            parts.forEach(left -> counters.dropped().inc(left.size()));
            return;
          }
        } else if (part.size() == 1) {
          forget(part.get(0)); // once its hold has run out, it is settled at what was seen
          counters.dropped().inc();
          counters.refused().inc();
          if (lost++ < MAX_LOGGED_REASONS) {
            LOGGER.warn(
                "The database refuses the row of request {} in the request log, which is lost: {}",
                part.get(0).requestId(),
                e.toString());
          }
        } else {
          parts.push(part.subList(part.size() / 2, part.size()));
          parts.push(part.subList(0, part.size() / 2));
        }
      }
    }
  }
}
