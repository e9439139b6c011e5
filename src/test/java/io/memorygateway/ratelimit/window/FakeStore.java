package io.memorygateway.ratelimit.window;

import io.memorygateway.ratelimit.window.KeyBatch.Reply;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
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
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger asked = new AtomicInteger();
  private volatile CountDownLatch silence = new CountDownLatch(0);
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

  int connections() {
    return connections.get();
  }

  /** How often it was asked about requests. */
  int asked() {
    return asked.get();
  }

  long used(long key) {
    synchronized (windows) {
      return windows.used(key)[0];
    }
  }

  private final class Connected implements WindowStore {
    @Override
    public void ask(List<KeyBatch> keys, Answers answers) throws SQLException {
      if (keys.get(0).keyId() != LaneWorker.PROBE_KEY) {
        asked.incrementAndGet();
        awaitWord();
        SQLException failure = failures.poll();
        if (failure != null) {
          throw failure;
        }
      }
      for (KeyBatch key : keys) {
        answers.answer(key, decide(key));
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
        return new Reply(granted, new Counts(starts, used), now);
      }
    }

    @Override
    public void add(List<Admitted> admitted) {
      synchronized (windows) {
        admitted.forEach(
            key ->
                forEachRule(
                    rule ->
                        windows.add(
                            key.keyId(),
                            rule,
                            key.counts().starts()[rule],
                            key.counts().used()[rule])));
      }
    }

    @Override
    public void giveBack(List<Admitted> unused) {
      synchronized (windows) {
        unused.forEach(
            key ->
                forEachRule(
                    rule ->
                        windows.giveBack(
                            key.keyId(),
                            rule,
                            key.counts().starts()[rule],
                            key.counts().used()[rule])));
      }
    }

    @Override
    public void ping() {}

    @Override
    public void close() {}
  }

  private void forEachRule(java.util.function.IntConsumer action) {
    int[] all = new int[rules.size()];
    Arrays.setAll(all, i -> i);
    Arrays.stream(all).forEach(action);
  }

  private void awaitWord() throws SQLException {
    try {
      silence.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException(e);
    }
  }
}
