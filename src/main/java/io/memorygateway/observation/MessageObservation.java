package io.memorygateway.observation;

import com.google.common.collect.Comparators;
import io.memorygateway.observation.text.Observation;
import io.memorygateway.observation.text.ObservationLog;
import io.memorygateway.observation.text.ObserverChain;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.observation.text.UnobservedMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Turns messages into observations: by appending prepared chunks, or by observing them now. */
record MessageObservation(
    ObserverChain observers, ObservationCommits commits, TokenCounter counter) {
  /**
   * Takes the oldest messages out of the context: by appending their prepared observations, which
   * needs no observer, else by observing them now.
   *
   * @return false if they cannot be taken out yet
   */
  boolean observeOrActivate(Lease lease, ThreadView view, UnobservedMessages unobserved)
      throws InterruptedException {
    return view.chunks().isEmpty()
        ? observe(lease, view, unobserved)
        : activate(lease, view, unobserved);
  }

  private boolean activate(Lease lease, ThreadView view, UnobservedMessages unobserved) {
    List<Long> sizes = view.chunks().stream().map(ObservationChunk::messageTokens).toList();
    List<Integer> cuts = IntStream.rangeClosed(1, sizes.size()).boxed().toList();
    int chosen = view.rule().choose(sizes, cuts, unobserved.pendingTokens());
    if (chosen == 0) {
      return false;
    }
    String log = view.log();
    StringBuilder added = new StringBuilder();
    long tokens = 0;
    String task = null;
    String suggestion = null;
    Instant latest = Instant.EPOCH;
    for (ObservationChunk chunk : view.chunks().subList(0, chosen)) {
      added.append(ObservationLog.toAppend(log + added, chunk.observations()));
      tokens += chunk.messageTokens();
      task = chunk.currentTask() == null ? task : chunk.currentTask();
      suggestion = chunk.suggestedContinuation();
      latest = Comparators.max(latest, chunk.lastObservedAt());
    }
    RecordDao.Addition addition =
        new RecordDao.Addition(added.toString(), counter.count(log + added), tokens, latest);
    long lastSeq = view.chunks().get(chosen - 1).lastSeq();
    commits.activate(
        lease, view, addition, chosen, new StateDao.Progress(lastSeq, task, suggestion));
    return true;
  }

  private boolean observe(Lease lease, ThreadView view, UnobservedMessages unobserved)
      throws InterruptedException {
    List<Long> sizes =
        unobserved.messages().stream().map(message -> (long) message.tokens()).toList();
    int chosen =
        view.rule().choose(sizes, ToolCuts.of(unobserved.messages()), unobserved.pendingTokens());
    if (chosen == 0) {
      return false;
    }
    List<UnobservedMessage> messages = unobserved.messages().subList(0, chosen);
    commits.begin(lease, LeaseGuard.Work.OBSERVING);
    ObserverChain.Noted noted =
        observers.observe(
            unobserved.before(view.observedSeq()),
            messages,
            view.log(),
            view.config().messageTokens(),
            view.instructions());
    Observation observation = noted.observation();
    String added = ObservationLog.toAppend(view.log(), observation.log());
    RecordDao.Addition addition =
        new RecordDao.Addition(
            added,
            counter.count(view.log() + added),
            UnobservedMessages.tokens(messages),
            latest(messages));
    commits.append(
        lease,
        view,
        addition,
        noted.byModel(),
        messages.size(),
        new StateDao.Progress(
            messages.get(chosen - 1).seq(),
            observation.currentTask(),
            observation.suggestedContinuation()));
    return true;
  }

  /**
   * Prepares the observation of the oldest messages that have none, once there are enough of them.
   *
   * @return false if there are too few, or they cannot be cut
   */
  boolean prepare(Lease lease, ThreadView view, UnobservedMessages unobserved)
      throws InterruptedException {
    List<UnobservedMessage> messages = nextChunk(view, unobserved);
    if (messages == null) {
      return false;
    }
    commits.begin(lease, LeaseGuard.Work.BUFFERING);
    ObserverChain.Noted noted =
        observers.observe(
            unobserved.before(view.preparedSeq()),
            messages,
            view.notes(),
            view.config().messageTokens(),
            view.instructions());
    commits.prepare(lease, view, messages, noted, latest(messages));
    return true;
  }

  private static @Nullable List<UnobservedMessage> nextChunk(
      ThreadView view, UnobservedMessages unobserved) {
    List<UnobservedMessage> unprepared = unobserved.after(view.preparedSeq());
    if (UnobservedMessages.tokens(unprepared) < view.rule().interval()) {
      return null;
    }
    for (int cut : ToolCuts.of(unprepared)) {
      List<UnobservedMessage> batch = unprepared.subList(0, cut);
      if (UnobservedMessages.tokens(batch) >= view.rule().interval()) {
        return new ArrayList<>(batch);
      }
    }
    return null;
  }

  private static Instant latest(List<UnobservedMessage> messages) {
    return messages.stream()
        .map(UnobservedMessage::createdAt)
        .reduce(Instant.EPOCH, Comparators::max);
  }
}
