package io.memorygateway.ratelimit.window;

import io.memorygateway.database.Home;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.KeyBatch.Reply;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Shared windows in memory, at a time that stands still. Answers at once, unless it is told to keep
 * silent or to fail; the probes of a worker are always answered.
 */
final class FakeStore implements WindowStore.Source {
  private final RuleSet rules;
  private final long now;
  private final ModelWindows windows;
  private final Queue<SQLException> failures = new ConcurrentLinkedQueue<>();
  private final Queue<SQLException> lostReplies = new ConcurrentLinkedQueue<>();
  private final Queue<SQLException> failedPings = new ConcurrentLinkedQueue<>();
  private final Map<Integer, SQLException> failedAdditions = new ConcurrentHashMap<>();
  private final Queue<SQLException> failedReturns = new ConcurrentLinkedQueue<>();
  private final List<List<Long>> batches = new ArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger closed = new AtomicInteger();
  private final AtomicInteger probes = new AtomicInteger();
  private final AtomicInteger pings = new AtomicInteger();
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger additions = new AtomicInteger();
  private final Set<Long> recalls = ConcurrentHashMap.newKeySet();
  private final Set<Long> forgotten = ConcurrentHashMap.newKeySet();
  private volatile boolean heldElsewhere;
  private volatile CountDownLatch silence = new CountDownLatch(0);
  private volatile CountDownLatch additionHeld = new CountDownLatch(0);
  private volatile @Nullable Supplier<SQLException> cannotConnect;

  FakeStore(RuleSet rules, long now) {
    this.rules = rules;
    this.now = now;
    this.windows = new ModelWindows(rules);
  }

  @Override
  public WindowStore open() throws SQLException {
    Supplier<SQLException> failure = cannotConnect;
    if (failure != null) {
      throw failure.get();
    }
    connections.incrementAndGet();
    return new Connected();
  }

  /** The next time that it is asked it fails. */
  void failOnce(SQLException failure) {
    failures.add(failure);
  }

  /** The next time that it is asked it counts, and then fails. */
  void loseReplyOnce(SQLException failure) {
    lostReplies.add(failure);
  }

  /** The next time that its clock is read it fails. */
  void failPingOnce(SQLException failure) {
    failedPings.add(failure);
  }

  /** One time that something is to be added it fails; the first is 1. */
  void failAddition(int number, SQLException failure) {
    failedAdditions.put(number, failure);
  }

  /** The next time that something is to be returned it fails. */
  void failReturnOnce(SQLException failure) {
    failedReturns.add(failure);
  }

  /** No connection can be made; null: they can be made again. */
  void refuseConnections(@Nullable Supplier<SQLException> failure) {
    cannotConnect = failure;
  }

  /** Whoever asks from now on waits for {@link #speak}. */
  void keepSilent() {
    silence = new CountDownLatch(1);
  }

  void speak() {
    silence.countDown();
  }

  /** Whoever adds from now on waits for {@link #letAdd}. */
  void holdAdditions() {
    additionHeld = new CountDownLatch(1);
  }

  void letAdd() {
    additionHeld.countDown();
  }

  int connections() {
    return connections.get();
  }

  /** Connections that are not closed. */
  int openConnections() {
    return connections.get() - closed.get();
  }

  /** How often a worker tested whether it answers. */
  int probes() {
    return probes.get();
  }

  /** How often its clock was read. */
  int pings() {
    return pings.get();
  }

  /** How often it was asked about requests. */
  int asked() {
    return asked.get();
  }

  /** How often permits were to be added. */
  int additions() {
    return additions.get();
  }

  /** The keys of each batch, probes left out. */
  List<List<Long>> batches() {
    synchronized (windows) {
      return List.copyOf(batches);
    }
  }

  /** Whether another node holds permits of every key. */
  void holdElsewhere(boolean holds) {
    heldElsewhere = holds;
  }

  /** Keys of which others were asked for what they hold. */
  Set<Long> recalls() {
    return recalls;
  }

  /** Keys of which others were taken for dead. */
  Set<Long> forgotten() {
    return forgotten;
  }

  /** Adds permits of another node in the window that runs, or takes them away. */
  void add(long key, long amount) {
    synchronized (windows) {
      windows.add(key, 0, now - now % rules.windowMillis(0), amount);
    }
  }

  long used(long key) {
    synchronized (windows) {
      return windows.used(key)[0];
    }
  }

  private final class Connected implements WindowStore {
    @Override
    public void decide(List<KeyBatch> keys, Replies receiver) throws SQLException {
      boolean probe = keys.get(0).keyId() == Home.FIRST.first();
      if (!probe) {
        synchronized (windows) {
          batches.add(keys.stream().map(KeyBatch::keyId).toList());
        }
        asked.incrementAndGet();
        await(silence);
        fail(failures);
      } else {
        probes.incrementAndGet();
      }
      List<Reply> replies = keys.stream().map(this::decide).toList();
      if (!probe) {
        fail(lostReplies);
      }
      for (int i = 0; i < keys.size(); i++) {
        receiver.received(keys.get(i), replies.get(i));
      }
    }

    private Reply decide(KeyBatch key) {
      synchronized (windows) {
        int[] granted = new int[RequestKind.values().length];
        for (RequestKind kind : RequestKind.values()) {
          for (int i = 0; i < key.wanted(kind); i++) {
            boolean admitted = windows.admit(key.keyId(), kind, key.limits(), now);
            granted[kind.index()] += admitted ? 1 : 0;
          }
        }
        long[] starts = windows.starts(key.keyId()).clone();
        long[] used = windows.used(key.keyId()).clone();
        return new Reply(granted, new WindowCounts(starts, used), heldElsewhere ? 1 : 0, now);
      }
    }

    @Override
    public void add(List<Adjustment> admitted) throws SQLException {
      SQLException failure = failedAdditions.get(additions.incrementAndGet());
      await(additionHeld);
      if (failure != null) {
        throw failure;
      }
      forEachRule(admitted, windows::add);
    }

    @Override
    public void subtract(Returned returned) throws SQLException {
      fail(failedReturns);
      forEachRule(returned.unused(), windows::giveBack);
    }

    @Override
    public void recall(Set<Long> keys) {
      recalls.addAll(keys);
    }

    @Override
    public List<Long> recalled() {
      return List.of();
    }

    @Override
    public void forget(Set<Long> keys) {
      forgotten.addAll(keys);
    }

    @Override
    public void ping() throws SQLException {
      pings.incrementAndGet();
      fail(failedPings);
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  private interface Change {
    void apply(long key, int rule, long start, long amount);
  }

  private void forEachRule(List<WindowStore.Adjustment> adjustments, Change change) {
    synchronized (windows) {
      for (WindowStore.Adjustment adjustment : adjustments) {
        WindowCounts counts = adjustment.counts();
        for (int rule = 0; rule < rules.size(); rule++) {
          change.apply(adjustment.keyId(), rule, counts.starts()[rule], counts.used()[rule]);
        }
      }
    }
  }

  private static void fail(Queue<SQLException> failures) throws SQLException {
    SQLException failure = failures.poll();
    if (failure != null) {
      throw failure;
    }
  }

  private static void await(CountDownLatch latch) throws SQLException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException(e);
    }
  }
}
