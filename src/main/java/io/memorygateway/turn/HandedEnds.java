package io.memorygateway.turn;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Lists;
import io.dropwizard.lifecycle.Managed;
import io.dropwizard.lifecycle.setup.LifecycleEnvironment;
import io.memorygateway.concurrent.TimedPark;
import io.memorygateway.database.Deadline;
import io.memorygateway.database.Home;
import io.memorygateway.database.HomeLanes;
import io.memorygateway.database.Homes;
import io.memorygateway.database.SqlText;
import io.memorygateway.database.Transactions;
import io.memorygateway.memory.rows.LastCall;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the ends of the last answers of threads went to their callers: written to the heads of
 * the threads once a second, so that no turn waits for it. What a node does not come to write
 * counts as not handed on.
 */
final class HandedEnds implements Managed {
  private static final Logger LOGGER = LoggerFactory.getLogger(HandedEnds.class);
  private static final long INTERVAL_MILLIS = 1000;

  /** After which another node has written what it has to say of a turn, unless all is slow. */
  private static final Duration WRITTEN_WITHIN = Duration.ofSeconds(3);

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  /** Ends that wait to be written; while the database is away, no turns are stored either. */
  private static final int MAX_WAITING = 20_000;

  /** Threads whose heads one statement locks. */
  private static final int BATCH = 200;

  private final Transactions transactions;
  private final InstantSource clock;
  private final Map<Long, End> waiting = new ConcurrentHashMap<>();
  private final HomeLanes lanes;

  HandedEnds(Transactions transactions, InstantSource clock) {
    this.transactions = transactions;
    this.clock = clock;
    // Of their own: other nodes wait for them, and not for long.
    this.lanes = new HomeLanes("handed-ends", "Which answers were handed on could not be written");
  }

  /** What is known of the end of an answer. */
  enum State {
    STORED(0),
    HANDED_ON(1),
    /** Handed on, and its caller has made the same call once more since; or broken off. */
    ASKED_ANEW(LastCall.NOT_AGAIN);

    /** In {@code thread_heads.call_state}. */
    private final int column;

    State(int column) {
      this.column = column;
    }

    /**
     * Whether the same call gets the answer again, and not another one.
     *
     * @param again whether its caller says that it sends the call again
     */
    boolean isReplayed(boolean again) {
      return this == STORED || (this == HANDED_ON && again);
    }

    private static State of(int column) {
      return column == STORED.column ? STORED : column == HANDED_ON.column ? HANDED_ON : ASKED_ANEW;
    }
  }

  /** An end, by the thread's next seq behind it. */
  private record End(long seq, State state) {
    private End or(End other) {
      boolean later = seq == other.seq ? state.compareTo(other.state) > 0 : seq > other.seq;
      return later ? this : other;
    }
  }

  void install(LifecycleEnvironment lifecycle) {
    ScheduledExecutorService executor =
        lifecycle.scheduledExecutorService("handed-ends-clock-%d", true).build();
    var unused = lanes.repeat(executor, INTERVAL_MILLIS, this::begin);
    lifecycle.manage(this);
  }

  /**
   * Notes what became of the end of a thread's last turn.
   *
   * @param thread {@code threads.id}
   * @param end the thread's next seq, behind the turn
   */
  void add(long thread, long end, State state) {
    if (waiting.size() < MAX_WAITING) {
      waiting.merge(thread, new End(end, state), End::or);
    }
  }

  /** What is known of an end by now, on this node or in the database. */
  State of(long thread, long end) {
    End own = waiting.get(thread);
    return own != null && own.seq() == end
        ? own.state()
        : transactions.read(
            handle ->
                handle
                    .createQuery(
                        "SELECT call_state FROM thread_heads WHERE thread_id = :thread AND"
                            + " call_end = :end")
                    .bind("thread", thread)
                    .bind("end", end)
                    .mapTo(Integer.class)
                    .findOne()
                    .map(State::of)
                    .orElse(State.ASKED_ANEW));
  }

  /**
   * The same, after a wait for what a node that lives has still to write.
   *
   * @param since when the turn was stored
   */
  State ofInTime(long thread, long end, Instant since) {
    Instant now = clock.instant();
    Instant until = (since.isBefore(now) ? since : now).plus(WRITTEN_WITHIN);
    State state = of(thread, end);
    while (state == State.STORED
        && clock.instant().isBefore(until)
        && !Thread.currentThread().isInterrupted()) {
      TimedPark.parkNanos(this, POLL_NANOS, () -> false);
      state = of(thread, end);
    }
    return state;
  }

  /** Writes what waits. */
  @Override
  public void stop() {
    try {
      Homes.each(Home.groups(waiting(), Map.Entry::getKey), this::writeAll);
    } catch (RuntimeException e) {
      LOGGER.warn("Some answers count as not handed on: {}", e.toString());
    }
  }

  private CompletableFuture<Void> begin() {
    return lanes.begin(waiting(), Map.Entry::getKey, this::writeAll);
  }

  private List<Map.Entry<Long, End>> waiting() {
    // A key that comes again meanwhile is met twice: the later end counts.
    return List.copyOf(new HashMap<>(waiting).entrySet());
  }

  private void writeAll(List<Map.Entry<Long, End>> ends) {
    Lists.partition(ends, BATCH).forEach(this::write);
  }

  /** Writes ends of threads that end there still; those of the others are of no use any more. */
  private void write(List<Map.Entry<Long, End>> some) {
    Map<Long, End> ends = ImmutableMap.copyOf(some);
    SqlText sql = new SqlText(64 * ends.size() + 200);
    sql.sql("UPDATE thread_heads SET call_state = GREATEST(call_state, ");
    sql.cases("thread_id", ends, end -> end.state().column);
    sql.sql(") WHERE call_end = next_seq AND call_end = ");
    sql.cases("thread_id", ends, End::seq).sql(" AND thread_id IN (").numbers(ends.keySet());
    String update = sql.sql(")").toString();
    transactions.write(Deadline.in(TIMEOUT), handle -> handle.execute(update));
    ends.forEach(waiting::remove);
  }
}
