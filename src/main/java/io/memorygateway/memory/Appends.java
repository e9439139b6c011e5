package io.memorygateway.memory;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.auth.Caller;
import io.memorygateway.http.ApiException;
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
import java.util.stream.Stream;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * Stores messages of many callers in few transactions: what a commit costs, its write to the disk
 * above all, is paid once for all who come at the same time. Nobody waits for a thread that is
 * locked elsewhere: what cannot be done together is done alone, with the same outcome.
 */
public final class Appends {
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
  private final List<GroupCommit<Append>> lanes = new ArrayList<>();
  private final Cache<ThreadName, Long> known =
      Caffeine.newBuilder().maximumSize(KNOWN_THREADS).build();

  Appends(Transactions transactions, Threads threads, Messages messages) {
    this.transactions = transactions;
    this.threads = threads;
    this.messages = messages;
    for (int lane = 0; lane < LANES; lane++) {
      lanes.add(new GroupCommit<>(MOST, this::store));
    }
  }

  /** Messages for a thread, and what came of it; nothing, if they are to be stored alone. */
  private static final class Append {
    private final long thread;
    private final List<NewMessage> batch;
    private Messages.@Nullable Appended appended;

    Append(long thread, List<NewMessage> batch) {
      this.thread = thread;
      this.batch = batch;
    }

    /** Those that clients gave. */
    Stream<String> ids() {
      return batch.stream().map(NewMessage::id).filter(Objects::nonNull);
    }
  }

  /**
   * Stores messages at the end of a thread; they stand together. When this returns, they are
   * durable.
   *
   * @throws ApiException 404, 409 as {@link Messages#append}, 503
   */
  public Messages.Appended append(Caller caller, String threadId, List<NewMessage> batch) {
    ThreadName name = ThreadName.of(caller, threadId);
    Long thread = isSmall(batch) ? known.getIfPresent(name) : null;
    if (thread != null) {
      Append append = new Append(thread, batch);
      lanes.get((int) (thread % LANES)).perform(append);
      if (append.appended != null) {
        return append.appended;
      }
    }
    Messages.Appended alone =
        transactions.write(handle -> messages.append(handle, caller, threadId, batch));
    known.put(name, alone.thread().id());
    return alone;
  }

  private static boolean isSmall(List<NewMessage> batch) {
    return batch.size() <= LONGEST
        && batch.stream().mapToLong(message -> message.content().length()).sum() <= LARGEST;
  }

  /** What is not stored together here, its callers store alone. */
  private void store(List<Append> appends) {
    List<Messages.Appended> stored;
    try {
      stored = transactions.once(connection -> storeAll(new AppendStatements(connection), appends));
    } catch (JdbiException e) {
      return; // a deadlock
    }
    for (int i = 0; i < appends.size(); i++) {
      appends.get(i).appended = stored.get(i);
    }
  }

  private List<Messages.@Nullable Appended> storeAll(
      AppendStatements statements, List<Append> appends) throws SQLException {
    TreeSet<Long> ids = new TreeSet<>();
    appends.forEach(append -> ids.add(append.thread));
    Map<Long, ThreadHead> heads = statements.lockFree(ids);
    Map<Long, Set<String>> known = known(statements, appends);
    Instant now = threads.now();
    List<Messages.@Nullable Appended> appended = new ArrayList<>();
    List<MessageDao.Insert> rows = new ArrayList<>();
    for (Append append : appends) {
      Set<String> taken = known.computeIfAbsent(append.thread, thread -> new HashSet<>());
      MessagePlan plan =
          append.ids().anyMatch(taken::contains)
              ? null
              : plan(heads.get(append.thread), append.batch, now);
      if (plan != null) {
        append.ids().forEach(taken::add);
        heads.put(append.thread, plan.thread());
        rows.addAll(plan.inserts());
      }
      appended.add(plan == null ? null : plan.appended());
    }
    if (!rows.isEmpty()) {
      statements.insert(rows);
      statements.advance(List.copyOf(heads.values()), now);
      statements.requestObservation(heads.values());
    }
    return appended;
  }

  /** Ids of clients that are there already; to find them is cheaper than to fail over them. */
  private static Map<Long, Set<String>> known(AppendStatements statements, List<Append> appends)
      throws SQLException {
    Map<Long, List<String>> given = new HashMap<>();
    for (Append append : appends) {
      append
          .ids()
          .forEach(id -> given.computeIfAbsent(append.thread, key -> new ArrayList<>()).add(id));
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
}
