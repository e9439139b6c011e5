package io.memorygateway.observation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Turns messages into observations: prepared ahead, or at once where nothing is prepared. */
final class Observing {
  private final ObserverChain observers;
  private final ObservationCommits commits;
  private final TokenCounter counter;

  Observing(ObserverChain observers, ObservationCommits commits, TokenCounter counter) {
    this.observers = observers;
    this.commits = commits;
    this.counter = counter;
  }

  /**
   * Takes the oldest messages out of the context: by their prepared observations, which takes no
   * observer, else by observing them now.
   *
   * @return false if they cannot be taken out yet
   */
  boolean takeOut(Lease lease, ThreadView view, Tail tail) throws InterruptedException {
    return view.chunks().isEmpty() ? observe(lease, view, tail) : activate(lease, view, tail);
  }

  private boolean activate(Lease lease, ThreadView view, Tail tail) {
    List<Long> portions = view.chunks().stream().map(RecordDao.Waiting::messageTokens).toList();
    List<Integer> cuts = IntStream.rangeClosed(1, portions.size()).boxed().toList();
    int chosen = view.rule().choose(portions, cuts, tail.pendingTokens());
    if (chosen == 0) {
      return false;
    }
    String log = view.log();
    StringBuilder added = new StringBuilder();
    long tokens = 0;
    String task = null;
    String suggestion = null;
    Instant latest = Instant.EPOCH;
    for (RecordDao.Waiting chunk : view.chunks().subList(0, chosen)) {
      added.append(ObservationLog.toAppend(log + added, chunk.observations()));
      tokens += chunk.messageTokens();
      task = chunk.currentTask() == null ? task : chunk.currentTask();
      suggestion = chunk.suggestedContinuation();
      latest = latest(latest, chunk.lastObservedAt());
    }
    RecordDao.Addition addition =
        new RecordDao.Addition(added.toString(), counter.count(log + added), tokens, latest);
    long lastSeq = view.chunks().get(chosen - 1).lastSeq();
    commits.activate(
        lease, view, addition, chosen, new StateDao.Observed(lastSeq, tokens, task, suggestion));
    return true;
  }

  private boolean observe(Lease lease, ThreadView view, Tail tail) throws InterruptedException {
    List<Long> portions = tail.messages().stream().map(message -> (long) message.tokens()).toList();
    int chosen = view.rule().choose(portions, ToolCuts.of(tail.messages()), tail.pendingTokens());
    if (chosen == 0) {
      return false;
    }
    List<UnobservedMessage> messages = tail.messages().subList(0, chosen);
    commits.begin(lease, Guard.Work.OBSERVING);
    ObserverChain.Noted noted =
        observers.observe(messages, view.log(), view.config().messageTokens());
    Observation observation = noted.observation();
    String added = ObservationLog.toAppend(view.log(), observation.log());
    RecordDao.Addition addition =
        new RecordDao.Addition(
            added, counter.count(view.log() + added), Tail.tokens(messages), latest(messages));
    commits.append(
        lease,
        view,
        addition,
        noted.byModel(),
        messages.size(),
        new StateDao.Observed(
            messages.get(chosen - 1).seq(),
            Tail.tokens(messages),
            observation.currentTask(),
            observation.suggestedContinuation()));
    return true;
  }

  /**
   * Prepares the observation of the oldest messages that have none, once they are enough.
   *
   * @return false if they are not, or cannot be cut
   */
  boolean prepare(Lease lease, ThreadView view, Tail tail) throws InterruptedException {
    List<UnobservedMessage> messages = nextPortion(view, tail);
    if (messages == null) {
      return false;
    }
    commits.begin(lease, Guard.Work.BUFFERING);
    ObserverChain.Noted noted =
        observers.observe(messages, view.notes(), view.config().messageTokens());
    commits.prepare(lease, view, messages, noted, latest(messages));
    return true;
  }

  private static @Nullable List<UnobservedMessage> nextPortion(ThreadView view, Tail tail) {
    List<UnobservedMessage> unprepared = tail.after(view.preparedSeq());
    if (Tail.tokens(unprepared) < view.rule().interval()) {
      return null;
    }
    for (int cut : ToolCuts.of(unprepared)) {
      List<UnobservedMessage> portion = unprepared.subList(0, cut);
      if (Tail.tokens(portion) >= view.rule().interval()) {
        return new ArrayList<>(portion);
      }
    }
    return null;
  }

  private static Instant latest(List<UnobservedMessage> messages) {
    return messages.stream()
        .map(UnobservedMessage::createdAt)
        .reduce(Instant.EPOCH, Observing::latest);
  }

  private static Instant latest(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }
}
