package io.memorygateway.observation;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Condenses the log of a thread once it is too long, ahead of time if it can. What would not make
 * it smaller is not kept, and not tried again before the log has grown.
 */
final class Reflecting {
  /** Of what is condensed, about so much is to remain. */
  private static final double LEFT = 0.4;

  private final ObserverChain observers;
  private final Guard guard;
  private final ObservationCommits commits;
  private final TokenCounter counter;
  private final RecordConfig config;
  private final ObservationMetrics metrics;

  Reflecting(
      ObserverChain observers,
      Guard guard,
      ObservationCommits commits,
      TokenCounter counter,
      RecordConfig config,
      ObservationMetrics metrics) {
    this.observers = observers;
    this.guard = guard;
    this.commits = commits;
    this.counter = counter;
    this.config = config;
    this.metrics = metrics;
  }

  /**
   * Condenses a log that is too long.
   *
   * @return false if it is not, or was tried in vain a short while ago
   */
  boolean condense(Lease lease, ThreadView view) throws InterruptedException {
    RecordDao.Current record = view.record();
    long threshold = view.config().observationTokens();
    if (record == null || record.observationTokens() < threshold || isTooSoon(view, record)) {
      return false;
    }
    String prepared = prepared(record);
    if (prepared == null || counter.count(prepared) >= threshold) {
      reflect(lease, view, record);
    } else {
      boolean byModel = Boolean.TRUE.equals(record.reflectionByModel());
      replace(lease, view, record, new Observation(prepared, null, null, null), byModel);
    }
    return true;
  }

  /**
   * Prepares to condense a log, once it has half of its length.
   *
   * @return false if it has not, or it is prepared
   */
  boolean prepare(Lease lease, ThreadView view) throws InterruptedException {
    RecordDao.Current record = view.record();
    if (record == null
        || record.observationTokens() < view.config().observationTokens() / 2
        || record.reflection() != null
        || isTooSoon(view, record)) {
      return false;
    }
    prepare(lease, view, record);
    return true;
  }

  private static boolean isTooSoon(ThreadView view, RecordDao.Current record) {
    return record.observationTokens() < view.state().reflectFrom();
  }

  private void reflect(Lease lease, ThreadView view, RecordDao.Current record)
      throws InterruptedException {
    commits.begin(lease, Guard.Work.REFLECTING);
    ObserverChain.Noted noted = observers.reflect(record.observations(), target(view, record));
    replace(lease, view, record, noted.observation(), noted.byModel());
  }

  private void prepare(Lease lease, ThreadView view, RecordDao.Current record)
      throws InterruptedException {
    commits.begin(lease, Guard.Work.BUFFERING_REFLECTION);
    ObserverChain.Noted noted = observers.reflect(record.observations(), target(view, record));
    String log = noted.observation().log();
    long tokens = counter.count(log);
    if (!isBetter(log, tokens, record)) {
      reject(lease, view, record);
      return;
    }
    guard.commit(
        lease,
        (handle, head) -> {
          check(handle.attach(RecordDao.class), lease, record);
          handle
              .attach(RecordDao.class)
              .prepare(
                  lease.threadId(),
                  record.generation(),
                  new RecordDao.Prepared(
                      log,
                      tokens,
                      record.observationTokens(),
                      record.observations().length(),
                      noted.byModel()),
                  commits.now());
          handle.attach(StateDao.class).end(lease.threadId());
        });
  }

  /** The log with the prepared reflection in the place of what it was made of; null if none is. */
  private static @Nullable String prepared(RecordDao.Current record) {
    String reflection = record.reflection();
    Integer length = record.reflectionInputLength();
    if (reflection == null || length == null || length > record.observations().length()) {
      return null;
    }
    String rest = ObservationLog.rest(record.observations(), length);
    return reflection + ObservationLog.toAppend(reflection, rest);
  }

  /** Makes a new record, if the log gets better by it. */
  private void replace(
      Lease lease,
      ThreadView view,
      RecordDao.Current record,
      Observation reflection,
      boolean byModel) {
    long tokens = counter.count(reflection.log());
    if (!isBetter(reflection.log(), tokens, record)) {
      reject(lease, view, record);
      return;
    }
    Instant now = commits.now();
    guard.commit(
        lease,
        (handle, head) -> {
          RecordDao records = handle.attach(RecordDao.class);
          check(records, lease, record);
          records.prepare(lease.threadId(), record.generation(), RecordDao.Prepared.NONE, now);
          // Chunks that wait belong to the thread and so to its newest record.
          records.insert(
              new RecordDao.NewRecord(
                  lease.threadId(),
                  record.generation() + 1,
                  commits.newId(),
                  "reflection",
                  reflection.log(),
                  tokens,
                  record.totalTokensObserved(),
                  record.lastObservedAt(),
                  config.json(view.config(), byModel, ModelObserver.REFLECTOR),
                  now));
          StateDao states = handle.attach(StateDao.class);
          states.reflected(
              lease.threadId(), reflection.currentTask(), reflection.suggestedContinuation());
          boolean enough = tokens < view.config().observationTokens();
          states.reflectFrom(lease.threadId(), enough ? tokens + growth(view) : 0);
          states.end(lease.threadId());
          states.bumpVersion(lease.threadId());
        });
    metrics.reflected(byModel ? "model" : "extractive", record.observationTokens(), tokens);
  }

  private static boolean isBetter(String log, long tokens, RecordDao.Current record) {
    return !log.isBlank()
        && tokens < record.observationTokens()
        && !RepetitionGuard.isRepeating(log);
  }

  private void reject(Lease lease, ThreadView view, RecordDao.Current record) {
    guard.commit(
        lease,
        (handle, head) -> {
          handle
              .attach(RecordDao.class)
              .prepare(
                  lease.threadId(), record.generation(), RecordDao.Prepared.NONE, commits.now());
          StateDao states = handle.attach(StateDao.class);
          states.reflectFrom(lease.threadId(), record.observationTokens() + growth(view));
          states.end(lease.threadId());
        });
    metrics.reflectionRejected();
  }

  private static void check(RecordDao records, Lease lease, RecordDao.Current record) {
    RecordDao.Current now = records.current(lease.threadId()).orElse(null);
    if (now == null
        || now.generation() != record.generation()
        || now.observationTokens() != record.observationTokens()) {
      throw new GivenUpException(GivenUpException.Reason.MESSAGES_CHANGED);
    }
  }

  private static int target(ThreadView view, RecordDao.Current record) {
    return (int)
        Math.min(LEFT * record.observationTokens(), view.config().observationTokens() / 2.0);
  }

  /** What has to come until it is tried again. */
  private static long growth(ThreadView view) {
    return Math.max(1, view.config().observationTokens() / 10);
  }
}
