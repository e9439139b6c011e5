package io.memorygateway.memory;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.auth.Caller;
import io.memorygateway.database.ConnectionSource;
import io.memorygateway.http.ApiException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores messages of many callers in few transactions: what a commit costs, its write to the disk
 * above all, is paid once for all who come at the same time. Nobody waits for a thread that is
 * locked elsewhere: what cannot be done together is done alone, with the same outcome. That may be
 * after a commit whose answer was lost: every message has its id before, so it is found, or stored,
 * under the lock of its thread.
 */
public final class Appends {
  private static final Logger LOGGER = LoggerFactory.getLogger(Appends.class);

  /** A few, so that one can be worked on while the disk is written for another. */
  private static final int LANES = 2;

  private static final int MOST = 64;

  /** Characters; so many of the largest fit into one statement of 4 MiB. */
  private static final int LARGEST = 16 << 10;

  private static final int LONGEST = 50;
  private static final int KNOWN_THREADS = 100_000;

  private final Transactions transactions;
  private final Threads threads;
  private final Messages messages;
  private final List<AppendLane> lanes = new ArrayList<>();
  private final List<GroupCommit<Append>> rounds = new ArrayList<>();
  private final Cache<ThreadName, Long> known =
      Caffeine.newBuilder().maximumSize(KNOWN_THREADS).build();

  /**
   * Opens no connection yet.
   *
   * @param connections of the lanes
   */
  Appends(
      Transactions transactions, Threads threads, Messages messages, ConnectionSource connections) {
    this.transactions = transactions;
    this.threads = threads;
    this.messages = messages;
    for (int i = 0; i < LANES; i++) {
      AppendLane lane = new AppendLane(connections);
      lanes.add(lane);
      rounds.add(new GroupCommit<>(MOST, appends -> store(lane, appends)));
    }
  }

  /** Messages for a thread, and what came of it; nothing, if they are to be stored alone. */
  private static final class Append {
    private final long thread;
    private final List<String> given;
    private final List<NewMessage> batch;
    private Messages.@Nullable Appended appended;

    /**
     * Nothing came of it yet.
     *
     * @param given the ids that clients gave
     * @param batch with ids and times
     */
    Append(long thread, List<String> given, List<NewMessage> batch) {
      this.thread = thread;
      this.given = given;
      this.batch = batch;
    }
  }

  /**
   * Stores messages at the end of a thread; they stand together. When this returns, they are
   * durable.
   *
   * @throws ApiException 404, 409 as {@link Messages#append}, 503
   */
  public Messages.Appended append(Caller caller, String threadId, List<NewMessage> batch) {
    if (!isSmall(batch)) {
      return transactions.write(handle -> messages.append(handle, caller, threadId, batch));
    }
    ThreadName name = ThreadName.of(caller, threadId);
    Append append = named(id(name), batch);
    rounds.get((int) (append.thread % LANES)).perform(append);
    if (append.appended != null) {
      return append.appended;
    }
    // Perhaps it was deleted, and another one has its name by now.
    known.invalidate(name);
    return transactions.write(handle -> messages.append(handle, caller, threadId, append.batch));
  }

  private Append named(long thread, List<NewMessage> batch) {
    Instant now = threads.now();
    return new Append(
        thread,
        batch.stream().map(NewMessage::id).filter(Objects::nonNull).toList(),
        batch.stream().map(message -> message.named(threads.newId(), now)).toList());
  }

  /** Tells of a thread that somebody has read. */
  void isKnown(ThreadName name, long thread) {
    known.put(name, thread);
  }

  private long id(ThreadName name) {
    Long id = known.getIfPresent(name);
    if (id == null) {
      id =
          transactions
              .readOn(connection -> new AppendStatements(connection).thread(name))
              .orElseThrow(NotFound::thread);
      known.put(name, id);
    }
    return id;
  }

  private static boolean isSmall(List<NewMessage> batch) {
    return batch.size() <= LONGEST
        && batch.stream().mapToLong(message -> message.content().length()).sum() <= LARGEST;
  }

  /** What is not stored together here, its callers store alone. */
  private void store(AppendLane lane, List<Append> appends) {
    Connection connection = lane.connection();
    if (connection == null) {
      return;
    }
    AppendStatements statements = new AppendStatements(connection);
    boolean committed = false;
    try {
      committed = storeTogether(statements, appends);
    } catch (SQLException e) {
      LOGGER.debug("Messages could not be stored together", e);
    } finally {
      if (!committed) {
        lane.rollBack();
      }
    }
  }

  /** False if there is nothing to commit. */
  private boolean storeTogether(AppendStatements statements, List<Append> appends)
      throws SQLException {
    Round round = plan(statements, appends);
    List<ThreadHead> advanced = round.advanced();
    if (advanced.isEmpty()) {
      return false;
    }
    statements.requestObservation(advanced);
    statements.commit(round.rows, advanced, round.now);
    for (int i = 0; i < appends.size(); i++) {
      appends.get(i).appended = round.appended.get(i);
    }
    return true;
  }

  /** What a transaction is to do, under the locks of the threads that it found free. */
  private static final class Round {
    private final Instant now;
    private final Map<Long, ThreadHead> heads;
    private final List<MessageDao.Insert> rows = new ArrayList<>();
    private final List<Messages.@Nullable Appended> appended = new ArrayList<>();

    Round(Map<Long, ThreadHead> heads, Instant now) {
      this.heads = heads;
      this.now = now;
    }

    /** The threads at whose ends something is stored, as they are then. */
    List<ThreadHead> advanced() {
      return rows.stream().map(MessageDao.Insert::threadId).distinct().map(heads::get).toList();
    }
  }

  private Round plan(AppendStatements statements, List<Append> appends) throws SQLException {
    TreeSet<Long> ids = new TreeSet<>();
    appends.forEach(append -> ids.add(append.thread));
    Round round = new Round(statements.lockFree(ids), threads.now());
    Map<Long, Set<String>> known = known(statements, appends);
    for (Append append : appends) {
      Set<String> taken = known.computeIfAbsent(append.thread, thread -> new HashSet<>());
      MessagePlan plan =
          append.given.stream().anyMatch(taken::contains)
              ? null
              : plan(round.heads.get(append.thread), append.batch, round.now);
      if (plan != null) {
        taken.addAll(append.given);
        round.heads.put(append.thread, plan.thread());
        round.rows.addAll(plan.inserts());
      }
      round.appended.add(plan == null ? null : plan.appended());
    }
    return round;
  }

  /** Ids of clients that are there already; to find them is cheaper than to fail over them. */
  private static Map<Long, Set<String>> known(AppendStatements statements, List<Append> appends)
      throws SQLException {
    Map<Long, List<String>> given = new HashMap<>();
    for (Append append : appends) {
      if (!append.given.isEmpty()) {
        given.computeIfAbsent(append.thread, key -> new ArrayList<>()).addAll(append.given);
      }
    }
    return given.isEmpty() ? new HashMap<>() : statements.known(given);
  }

  private @Nullable MessagePlan plan(
      @Nullable ThreadHead head, List<NewMessage> batch, Instant now) {
    try {
      return head == null ? null : MessagePlan.of(head, batch, Map.of(), now, threads::newId);
    } catch (ApiException e) {
      return null; // its caller is told why when it is stored alone
    }
  }

  /** Closes the lanes' connections. */
  void close() {
    lanes.forEach(AppendLane::close);
  }
}
