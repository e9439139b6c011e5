package io.memorygateway.observation;

import io.memorygateway.observation.text.ModelObserver;
import io.memorygateway.observation.text.Observation;
import io.memorygateway.observation.text.ObservationLog;
import io.memorygateway.observation.text.ObserverChain;
import io.memorygateway.observation.text.RepetitionGuard;
import io.memorygateway.observation.text.TokenCounter;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Condenses the log of a thread once it is too long, prepared ahead of time if possible. A result
 * that is not smaller is discarded, and not tried again before the log has grown.
 */
record LogReflection(
    ObserverChain observers,
    LeaseGuard guard,
    ObservationCommits commits,
    TokenCounter counter,
    RecordConfig config,
    ObservationMetrics metrics) {
  /** Target size of a model's reflection, as a share of what is condensed. */
  private static final double MODEL_SHARE = 0.4;

  /**
   * Size of a reflection without a model, as a share of what is condensed: it cannot say the same
   * in fewer words, so what it leaves out is lost.
   */
  private static final double EXTRACT_SHARE = 0.75;

  /**
   * Condenses a log that is too long.
   *
   * @return false if it is not too long, or condensing it failed recently
   */
  boolean condense(Lease lease, ThreadView view) throws InterruptedException {
    ObservationRecord record = view.record();
    long threshold = view.config().observationTokens();
    if (record == null || record.observationTokens() < threshold || isTooSoon(view, record)) {
      return false;
    }
    String prepared = prepared(record);
    if (prepared == null || counter.count(prepared) >= threshold) {
      guard.begin(lease, LeaseGuard.Work.REFLECTING);
      ObserverChain.Noted noted = reflection(view, record);
      replace(lease, view, record, noted.observation(), noted.byModel());
    } else {
      boolean byModel = Boolean.TRUE.equals(record.reflectionByModel());
      replace(lease, view, record, new Observation(prepared, null, null, null), byModel);
    }
    return true;
  }

  /**
   * Prepares a reflection, once the log has half of its longest length.
   *
   * @return false if the log is shorter, or a reflection is prepared already
   */
  boolean prepare(Lease lease, ThreadView view) throws InterruptedException {
    ObservationRecord record = view.record();
    if (record == null
        || record.observationTokens() < view.config().observationTokens() / 2
        || record.reflection() != null
        || isTooSoon(view, record)) {
      return false;
    }
    guard.begin(lease, LeaseGuard.Work.BUFFERING_REFLECTION);
    ObserverChain.Noted noted = reflection(view, record);
    String log = noted.observation().log();
    long tokens = counter.count(log);
    if (!isBetter(log, tokens, record)) {
      reject(lease, view, record);
      return true;
    }
    guard.commit(
        lease,
        handle -> {
          check(handle.attach(RecordDao.class), lease, record);
          handle
              .attach(RecordDao.class)
              .prepare(
                  lease.threadId(),
                  record.generation(),
                  new RecordDao.PreparedReflection(
                      log,
                      tokens,
                      record.observationTokens(),
                      record.observations().length(),
                      noted.byModel()),
                  commits.now());
          handle.attach(StateDao.class).end(lease.threadId());
        });
    return true;
  }

  private static boolean isTooSoon(ThreadView view, ObservationRecord record) {
    return record.observationTokens() < view.state().reflectFrom();
  }

  /** The log with the prepared reflection in place of its input; null if none is prepared. */
  private static @Nullable String prepared(ObservationRecord record) {
    String reflection = record.reflection();
    Integer length = record.reflectionInputLength();
    if (reflection == null || length == null || length > record.observations().length()) {
      return null;
    }
    String rest = ObservationLog.rest(record.observations(), length);
    return reflection + ObservationLog.toAppend(reflection, rest);
  }

  /** Creates a new record, if the log gets better by it. */
  private void replace(
      Lease lease,
      ThreadView view,
      ObservationRecord record,
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
        handle -> {
          RecordDao records = handle.attach(RecordDao.class);
          check(records, lease, record);
          records.prepare(
              lease.threadId(), record.generation(), RecordDao.PreparedReflection.NONE, now);
          // Chunks that are not yet appended belong to the thread, and so to its newest record.
          records.insert(
              lease.threadId(),
              ObservationRecord.of(
                  record.generation() + 1,
                  commits.newId(),
                  "reflection",
                  reflection.log(),
                  tokens,
                  record.totalTokensObserved(),
                  record.lastObservedAt(),
                  config.json(view.config(), byModel, ModelObserver.REFLECTOR_PROMPT),
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

  private static boolean isBetter(String log, long tokens, ObservationRecord record) {
    return !log.isBlank()
        && tokens < record.observationTokens()
        && !RepetitionGuard.isRepeating(log);
  }

  private void reject(Lease lease, ThreadView view, ObservationRecord record) {
    guard.commit(
        lease,
        handle -> {
          handle
              .attach(RecordDao.class)
              .prepare(
                  lease.threadId(),
                  record.generation(),
                  RecordDao.PreparedReflection.NONE,
                  commits.now());
          StateDao states = handle.attach(StateDao.class);
          states.reflectFrom(lease.threadId(), record.observationTokens() + growth(view));
          states.end(lease.threadId());
        });
    metrics.reflectionRejected();
  }

  private static void check(RecordDao records, Lease lease, ObservationRecord record) {
    ObservationRecord now = records.current(lease.threadId()).orElse(null);
    if (now == null
        || now.generation() != record.generation()
        || now.observationTokens() != record.observationTokens()) {
      throw new WorkAbortedException(WorkAbortedException.Reason.MESSAGES_CHANGED);
    }
  }

  private ObserverChain.Noted reflection(ThreadView view, ObservationRecord record)
      throws InterruptedException {
    long log = record.observationTokens();
    long threshold = view.config().observationTokens();
    return observers.reflect(
        record.observations(),
        (int) Math.min(MODEL_SHARE * log, threshold / 2.0),
        (int) (EXTRACT_SHARE * Math.min(log, threshold)),
        view.instructions());
  }

  /** Tokens by which the log has to grow until condensing is tried again. */
  private static long growth(ThreadView view) {
    return Math.max(1, view.config().observationTokens() / 10);
  }
}
