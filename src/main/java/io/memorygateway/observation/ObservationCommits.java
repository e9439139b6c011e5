package io.memorygateway.observation;

import io.memorygateway.http.api.Uuids;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.observation.text.ModelObserver;
import io.memorygateway.observation.text.Observation;
import io.memorygateway.observation.text.ObserverChain;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.observation.text.UnobservedMessage;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jdbi.v3.core.Handle;

/**
 * Writes observations together with the seq up to which the thread is observed (contract §8). What
 * they rest on is checked again in the same transaction.
 */
record ObservationCommits(
    LeaseGuard guard,
    TokenCounter counter,
    RecordConfig config,
    ObservationMetrics metrics,
    Clock clock,
    RandomGenerator random) {
  void begin(Lease lease, LeaseGuard.Work work) {
    guard.begin(lease, work);
  }

  /** Stores the observation of messages as a chunk, to be appended later. */
  void prepare(
      Lease lease,
      ThreadView view,
      List<UnobservedMessage> messages,
      ObserverChain.Noted noted,
      Instant lastObservedAt) {
    Observation observation = noted.observation();
    long lastSeq = messages.get(messages.size() - 1).seq();
    long tokens = UnobservedMessages.tokens(messages);
    long noteTokens = counter.count(observation.log());
    Instant now = now();
    guard.commit(
        lease,
        handle -> {
          RecordDao records = handle.attach(RecordDao.class);
          check(handle, lease, view, view.preparedSeq(), lastSeq, messages.size(), tokens);
          int generation = generation(handle, lease, view, noted.byModel(), now);
          records.insert(
              lease.threadId(),
              new ObservationChunk(
                  lastSeq,
                  newId(),
                  newId(),
                  observation.log(),
                  noteTokens,
                  ids(messages),
                  tokens,
                  observation.suggestedContinuation(),
                  observation.currentTask(),
                  observation.threadTitle(),
                  lastObservedAt,
                  now));
          records.configure(
              lease.threadId(),
              generation,
              config.json(view.config(), noted.byModel(), ModelObserver.OBSERVER_PROMPT),
              now);
          handle.attach(StateDao.class).end(lease.threadId());
        });
    metrics.noted(tokens, noteTokens);
  }

  /** Appends prepared chunks to the current record. */
  void activate(
      Lease lease,
      ThreadView view,
      RecordDao.Addition addition,
      int chunks,
      StateDao.Progress observed) {
    ObservationRecord record = view.record();
    if (record == null) {
      throw new IllegalStateException("chunks without a record");
    }
    Instant now = now();
    guard.commit(
        lease,
        handle -> {
          checkState(handle, lease, view);
          RecordDao records = handle.attach(RecordDao.class);
          if (records.deleteChunks(lease.threadId(), observed.observedSeq()) != chunks) {
            throw new WorkAbortedException(WorkAbortedException.Reason.MESSAGES_CHANGED);
          }
          records.append(lease.threadId(), record.generation(), addition, now);
          mark(handle, lease, observed);
        });
    metrics.observed(true);
  }

  /** Appends an observation made just now to the current record. */
  void append(
      Lease lease,
      ThreadView view,
      RecordDao.Addition addition,
      boolean byModel,
      int messages,
      StateDao.Progress observed) {
    Instant now = now();
    guard.commit(
        lease,
        handle -> {
          check(
              handle,
              lease,
              view,
              view.observedSeq(),
              observed.observedSeq(),
              messages,
              addition.messageTokens());
          RecordDao records = handle.attach(RecordDao.class);
          int generation = generation(handle, lease, view, byModel, now);
          records.append(lease.threadId(), generation, addition, now);
          records.configure(
              lease.threadId(),
              generation,
              config.json(view.config(), byModel, ModelObserver.OBSERVER_PROMPT),
              now);
          mark(handle, lease, observed);
        });
    metrics.observed(false);
    metrics.noted(addition.messageTokens(), counter.count(addition.added()));
  }

  private static void mark(Handle handle, Lease lease, StateDao.Progress observed) {
    StateDao states = handle.attach(StateDao.class);
    states.make(lease.threadId());
    states.observed(lease.threadId(), observed);
    states.end(lease.threadId());
    states.bumpVersion(lease.threadId());
  }

  /** Checks that the messages still are as they were observed. */
  private static void check(
      Handle handle,
      Lease lease,
      ThreadView view,
      long afterSeq,
      long lastSeq,
      int messages,
      long tokens) {
    checkState(handle, lease, view);
    Long lastChunk = handle.attach(RecordDao.class).lastChunk(lease.threadId());
    UnobservedMessageDao.Sum sum =
        handle.attach(UnobservedMessageDao.class).sum(lease.threadId(), afterSeq, lastSeq);
    if ((lastChunk == null ? view.observedSeq() : lastChunk) != view.preparedSeq()
        || sum.messages() != messages
        || sum.tokens() != tokens
        || sum.uncounted() > 0) {
      throw new WorkAbortedException(WorkAbortedException.Reason.MESSAGES_CHANGED);
    }
  }

  private static void checkState(Handle handle, Lease lease, ThreadView view) {
    long observedSeq =
        handle
            .attach(StateDao.class)
            .state(lease.threadId())
            .orElse(ObservationState.NONE)
            .observedSeq();
    if (observedSeq != view.observedSeq()) {
      throw new WorkAbortedException(WorkAbortedException.Reason.MESSAGES_CHANGED);
    }
  }

  /** Generation of the current record, which is created if there is none. */
  private int generation(
      Handle handle, Lease lease, ThreadView view, boolean byModel, Instant now) {
    ObservationRecord record = view.record();
    if (record != null) {
      return record.generation();
    }
    handle
        .attach(RecordDao.class)
        .insert(
            lease.threadId(),
            ObservationRecord.of(
                0,
                newId(),
                "initial",
                "",
                0,
                0,
                null,
                config.json(view.config(), byModel, ModelObserver.OBSERVER_PROMPT),
                now));
    return 0;
  }

  private static String ids(List<UnobservedMessage> messages) {
    JsonWriter out = new JsonWriter(64 * messages.size()).ascii("[");
    for (UnobservedMessage message : messages) {
      out.element().string(message.publicId());
    }
    return out.ascii("]").toString();
  }

  String newId() {
    return Uuids.version7(clock, random).toString();
  }

  /** The current time, in the precision of the database. */
  Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MILLIS);
  }
}
